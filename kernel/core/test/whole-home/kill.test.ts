import { isThorough, temporaryFolder } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { pluginCode, putPlugin, startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";

const ROUNDS = isThorough ? 6 : 2;
/** A replacement is over within this time, so kills come before, within and after it. */
const MAX_DELAY_MS = 250;

/** A plugin that keeps one number in two records and a file, and replaces the home by one with another number. */
const CODE = pluginCode(
  "keeper",
  `
  const { readFile, writeFile, mkdir } = await import("node:fs/promises");
  const file = (await ctx.folder()) + "/number.txt";
  const read = async () => ({
    first: (await ctx.store.get("a"))?.number ?? 0,
    second: (await ctx.store.get("z"))?.number ?? 0,
    file: Number(await readFile(file, "utf8").catch(() => 0)),
  });
  const route = (method, path, handle) =>
    ctx.route({ method, path: "/api/keeper/" + path, summary: path, access: "session", returns: "bytes",
      handle: async () => ({ kind: "bytes", mediaType: "application/json", body: JSON.stringify(await handle()) }) });
  route("GET", "read", read);
  const replace = (keepsSessions) => async () => {
    const number = (await read()).first + 1;
    const stage = await ctx.wholeHome.stage();
    await mkdir(stage + "/store");
    const line = (key, value) => JSON.stringify({ key: "keeper:" + key, text: JSON.stringify(value) }) + "\\n";
    const filling = Array.from({ length: 2000 }, (_, n) => line("b" + String(n).padStart(5, "0"), { number }));
    await writeFile(stage + "/store/keeper.ndjson", line("a", { number }) + filling.join("") + line("z", { number }));
    await mkdir(stage + "/data/keeper", { recursive: true });
    await writeFile(stage + "/data/keeper/number.txt", String(number));
    await ctx.wholeHome.replace({ stage, mode: "replace", keepsSessions, note: { number } });
    return { number };
  };
  route("POST", "replace", replace(true));
  route("POST", "replace-all", replace(false));
`,
);

interface Numbers {
  first: number;
  second: number;
  file: number;
}

const read = async (daemon: Daemon) =>
  (await (await daemon.call("/api/keeper/read")).json()) as Numbers;

test(
  "a daemon that is killed while its home is replaced comes back with the old or the new",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    await putPlugin(home, "keeper", CODE);
    let number = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const daemon = await startDaemon(home);
      const answered = daemon
        .call("/api/keeper/replace", { method: "POST" })
        .then(
          (answer) => answer.status === 200,
          () => false,
        );
      const delay = (MAX_DELAY_MS * round) / (ROUNDS - 1);
      await new Promise((resolve) => setTimeout(resolve, delay));
      daemon.kill("SIGKILL");
      await daemon.ended;
      const isNew = await answered;
      const again = await startDaemon(home);
      const found = await read(again);
      again.kill("SIGKILL");
      await again.ended;
      expect(found.second).toBe(found.first);
      expect(found.file).toBe(found.first);
      // What was answered has happened; what was not may have.
      expect(found.first - number).toBeGreaterThanOrEqual(isNew ? 1 : 0);
      expect(found.first - number).toBeLessThanOrEqual(1);
      number = found.first;
    }
    expect(number).toBeGreaterThan(0);
  },
);

test("a daemon whose home was replaced tells that in one line, with a link to pair only if no client is paired any more", async () => {
  const home = await temporaryFolder();
  await putPlugin(home, "keeper", CODE);
  const daemon = await startDaemon(home);
  const answer = await daemon.call("/api/keeper/replace", { method: "POST" });
  expect(answer.status).toBe(200);
  expect(await read(daemon)).toEqual({ first: 1, second: 1, file: 1 });
  await daemon.call("/api/keeper/replace-all", { method: "POST" });
  expect(await read(daemon)).toEqual({ first: 2, second: 2, file: 2 });
  daemon.kill();
  const { stdout, code } = await daemon.ended;
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  const { pairUrl, ...ready } = daemon.ready;
  const replaced = { ...ready, replaced: true, failure: null };
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { ...ready, pairUrl },
    replaced,
    { ...replaced, pairUrl: expect.stringContaining("/pair#") as string },
  ]);
});

test(
  "a daemon that is told to stop while its home is replaced stops, and the next start has the new",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    await putPlugin(home, "keeper", CODE);
    const daemon = await startDaemon(home);
    const answer = await daemon.call("/api/keeper/replace", { method: "POST" });
    expect(answer.status).toBe(200);
    daemon.kill();
    expect((await daemon.ended).code).toBe(0);
    const again = await startDaemon(home);
    expect(await read(again)).toEqual({ first: 1, second: 1, file: 1 });
  },
);
