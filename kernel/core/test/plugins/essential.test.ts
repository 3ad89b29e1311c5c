import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pluginCode } from "@gantry/test-support/daemon";
import { temporaryFolder } from "@gantry/test-support/temporary";
import { startProbe } from "../support/probe.ts";

async function putPackage(
  folder: string,
  id: string,
  gantry: object,
): Promise<void> {
  const own = join(folder, id);
  await mkdir(own, { recursive: true, mode: 0o700 });
  const manifest = {
    name: `gantry-plugin-${id}`,
    type: "module",
    gantry: { api: 1, server: "./server.mjs", ...gantry },
  };
  await writeFile(join(own, "package.json"), JSON.stringify(manifest));
  await writeFile(join(own, "server.mjs"), pluginCode(id));
}

test.each([
  ["--safe", { safe: true }],
  ["--plugins", { plugins: ["probe"] }],
])(
  "%s leaves out all but the essential plugins that are delivered with the daemon",
  async (_flag, config) => {
    const home = await temporaryFolder();
    const delivered = await temporaryFolder();
    await putPackage(delivered, "base", { essential: true });
    await putPackage(delivered, "extra", {});
    await putPackage(join(home, "plugins"), "added", { essential: true });
    await using kernel = await startProbe(
      {},
      { home, pluginFolder: delivered, config },
    );
    const { body } = await kernel.api.get<{
      items: { id: string; state: string }[];
    }>("/api/plugins");
    const states = body.items.map(({ id, state }) => [id, state]);
    expect(Object.fromEntries(states)).toMatchObject({
      base: "active",
      extra: "disabled",
      added: "disabled",
    });
  },
);
