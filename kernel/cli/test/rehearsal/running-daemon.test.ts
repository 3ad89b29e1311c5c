import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  pluginCode,
  putPlugin,
  startDaemon,
} from "../../../core/test/support/daemon.ts";
import { startProbe } from "../../../core/test/support/probe.ts";
import { temporaryFolder } from "@gantry/build/testing";

const line = (text: object) =>
  `${JSON.stringify({ key: "probe:note", text: JSON.stringify(text) })}\n`;

/** Tries a start on a stage with a record, and answers with what came of it, and with the record that it found. */
const SERVER = pluginCode(
  "probe",
  `const note = await ctx.store.get("note");
  if (note?.odd) throw new Error("The note is odd.");
  ctx.route({ method: "POST", path: "/api/probe", summary: "x", access: "session", returns: "bytes",
    async handle() {
      const stage = await ctx.wholeHome.stage();
      await fs.mkdir(stage + "/store");
      await fs.writeFile(stage + "/store/probe.ndjson", await fs.readFile(ctx.home + "/staged.ndjson"));
      const outcome = await ctx.wholeHome.rehearse(stage, ctx.signal).catch(({ message }) => ({ message }));
      const seen = { outcome, note: await ctx.store.get("note"), pid: process.pid };
      return { kind: "bytes", mediaType: "application/json", body: JSON.stringify(seen) };
    } });`,
  'import * as fs from "node:fs/promises";',
);

test(
  "a daemon tries a start in a process of its own, with its plugins and on what is staged",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    await putPlugin(home, "probe", SERVER);
    await putPlugin(home, "other", pluginCode("other"));
    const daemon = await startDaemon(home, ["--plugins", "probe"]);
    const rehearse = async (staged: string) => {
      await writeFile(join(home, "staged.ndjson"), staged);
      const answer = await daemon.call("/api/probe", { method: "POST" });
      return (await answer.json()) as { outcome: object };
    };
    const other = {
      id: "other",
      state: "disabled",
      reason: "it is not among those that --plugins names",
    };
    expect(await rehearse(line({ text: "good" }))).toEqual({
      outcome: {
        plugins: [{ id: "probe", state: "active", reason: null }, other],
        recordVersions: { "auth:session": 1 },
      },
      pid: daemon.pid,
    });
    expect(await rehearse(line({ odd: true }))).toMatchObject({
      outcome: {
        plugins: [
          { id: "probe", state: "failed", reason: "The note is odd." },
          other,
        ],
      },
    });
    const { outcome } = await rehearse("nonsense\n");
    expect(outcome).toMatchObject({
      message: expect.stringMatching(/line 1/) as string,
    });
    expect(daemon.log().filter(({ level }) => level === "error")).toEqual([]);
  },
);

test("in a test kernel it is tried in the same process, with the same plugins", async () => {
  const rehearsed: string[] = [];
  await using kernel = await startProbe({
    async setup(ctx) {
      rehearsed.push(ctx.home);
      await ctx.store.set("here", {});
      if (await ctx.store.get("odd")) throw new Error("The copy is odd.");
    },
  });
  const { wholeHome } = kernel.ctx;
  const { signal } = new AbortController();
  const stage = await wholeHome.stage();
  await mkdir(join(stage, "store"));
  await writeFile(
    join(stage, "store", "probe.ndjson"),
    `${JSON.stringify({ key: "probe:odd", text: "{}" })}\n`,
  );
  expect(await wholeHome.rehearse(stage, signal)).toEqual({
    plugins: [{ id: "probe", state: "failed", reason: "The copy is odd." }],
    recordVersions: { "auth:session": 1 },
  });
  expect(rehearsed).toEqual([kernel.home, stage]);
  expect(await readdir(stage)).toContain("store.sqlite");
  await expect(wholeHome.rehearse(kernel.home, signal)).rejects.toMatchObject({
    exitCode: 3,
  });
});
