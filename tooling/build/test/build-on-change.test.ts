import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import {
  startBuild,
  useTemporaryFolders,
  writeSource,
} from "./plugin-folder.ts";

const { createPluginFolder } = useTemporaryFolders();

it("builds again after each change, and continues after a fault", async () => {
  const folder = await createPluginFolder();
  const { child, output, exited } = startBuild(folder, ["--watch"]);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const until = (text: RegExp) =>
    vi.waitFor(() => expect(output()).toMatch(text));
  const builtUi = () =>
    readFile(join(folder, "dist/ui/index.mjs"), "utf8").catch(() => "");

  await until(/Watching/);
  await writeSource(folder, "ui/index.ts", "export default { oops: };");
  await until(/ui\/index\.ts:1:\d+/);
  await writeSource(
    folder,
    "ui/index.ts",
    'export default { title: "second" };',
  );
  await vi.waitFor(async () => expect(await builtUi()).toContain("second"));

  child.kill("SIGTERM");
  expect(await exited).toBe(0);
});
