import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "@gantry/kernel/config/config";
import { runRehearsal } from "../../src/rehearsal/run-rehearsal.ts";
import { pluginCode, putPlugin } from "../../../core/test/support/daemon.ts";
import { isRunning } from "../../../system/test/support/processes.ts";
import { temporaryFolder } from "@gantry/build/testing";

const MAIN = {
  file: process.execPath,
  options: [
    "--conditions=gantry-source",
    "--disable-warning=ExperimentalWarning",
  ],
  main: fileURLToPath(
    new URL("../../../core/test/support/run-gantry.ts", import.meta.url),
  ),
};

/** The home of a daemon with a plugin, and an empty copy of it. */
async function start(setup: string, before?: string) {
  const folder = await temporaryFolder();
  const home = join(folder, "home");
  const copy = join(folder, "copy");
  const outside = join(folder, "outside");
  for (const path of [copy, outside]) await mkdir(path);
  await putPlugin(home, "probe", pluginCode("probe", setup, before));
  const config = await loadConfig({ home }, {});
  const order = {
    config: { ...config, settings: { probe: { outside } } },
    builtinPlugins: undefined,
    pluginsFolder: join(home, "plugins"),
  };
  const signal = new AbortController().signal;
  return {
    home,
    copy,
    outside,
    order,
    rehearse: (until = signal) => runRehearsal(copy, order, until, MAIN),
  };
}

test("a plugin starts on the copy and nothing that it does gets out of it", async () => {
  const stranger = spawn("/bin/sleep", ["1000"]);
  onTestFinished(() => void stranger.kill("SIGKILL"));
  await once(stranger, "spawn");
  const tries = {
    clock: `ctx.clock.after(0, () => { throw 0; }); return [ctx.clock.now() === ctx.clock.now(), ctx.clock.monotonic()];`,
    cron: `ctx.cron("* * * * *", () => { throw 0; }, { timezone: "UTC" }); return true;`,
    run: `return await ctx.run("/bin/true", []).catch(({ message }) => message);`,
    collect: `return await ctx.run.collect("/bin/true", []).catch(({ code }) => code);`,
    detach: `return await ctx.run.detach("/bin/true", []).catch(({ code }) => code);`,
    fetch: `return await ctx.fetch("http://127.0.0.1:9").catch(({ message }) => message);`,
    spawn: `return (await import("node:child_process")).spawnSync("/bin/true").pid;`,
    outside: `await fs.writeFile(process.env.OUTSIDE + "/file", "x");`,
    kill: `process.kill(${stranger.pid});`,
    ask: `return process.kill(${stranger.pid}, 0);`,
    collection: `ctx.store.collection({ name: "note", version: 3, schema: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } } }); return true;`,
    own: `await fs.writeFile((await ctx.folder()) + "/file", "x"); await ctx.store.set("key", { a: 1 }); return ctx.home;`,
    temporary: `const temporary = (await import("node:os")).tmpdir(); await fs.writeFile(temporary + "/file", "x"); return temporary.startsWith(ctx.home.slice(0, ctx.home.lastIndexOf("/") + 1));`,
    terminal: `console.log('{"plugins":[]}'); console.error("x"); return true;`,
  };
  const { copy, outside, rehearse } = await start(
    `const seen = {};
    ${Object.entries(tries)
      .map(
        ([name, code]) =>
          `seen.${name} = await (async () => { ${code} })().catch((error) => error.code ?? error.message);`,
      )
      .join("\n")}
    await fs.writeFile((await ctx.folder()) + "/seen.json", JSON.stringify(seen));`,
    'import * as fs from "node:fs/promises";',
  );
  process.env.OUTSIDE = outside;
  onTestFinished(() => void delete process.env.OUTSIDE);
  expect(await rehearse()).toEqual({
    plugins: [{ id: "probe", state: "active", reason: null }],
    recordVersions: { "auth:session": 1, "probe:note": 3 },
  });
  const seen = JSON.parse(
    await readFile(join(copy, "data", "probe", "seen.json"), "utf8"),
  ) as unknown;
  expect(seen).toEqual({
    clock: [true, 0],
    cron: true,
    run: "The program true could not be started: this daemon only tries a start on a copy of the home.",
    collect: "PROCESS_NOT_STARTED",
    detach: "PROCESS_NOT_STARTED",
    fetch:
      "The daemon does not call this target: this daemon only tries a start on a copy of the home.",
    spawn: "ERR_ACCESS_DENIED",
    outside: "ERR_ACCESS_DENIED",
    kill: "EPERM",
    ask: true,
    collection: true,
    own: copy,
    temporary: true,
    terminal: true,
  });
  expect(await readdir(outside)).toEqual([]);
  expect(await isRunning(stranger.pid!)).toBe(true);
});

test(
  "a plugin that fails is told with its reason, one that is left out too",
  { tags: "thorough" },
  async () => {
    const { home, order, rehearse } = await start(
      'throw new Error("Its records are odd.");',
    );
    await putPlugin(home, "other", pluginCode("other"));
    order.config.plugins = ["probe"];
    expect(await rehearse()).toEqual({
      plugins: [
        { id: "probe", state: "failed", reason: "Its records are odd." },
        {
          id: "other",
          state: "disabled",
          reason: "it is not among those that --plugins names",
        },
      ],
      recordVersions: { "auth:session": 1 },
    });
  },
);

test(
  "a plugin that ends the process is named",
  { tags: "thorough" },
  async () => {
    const { rehearse } = await start("process.exit(7);");
    await expect(rehearse()).rejects.toThrow(
      'It ended with exit code 7. The plugin "probe" was starting.',
    );
  },
);

test(
  "a copy that is no home is refused with what is wrong",
  { tags: "thorough" },
  async () => {
    const { copy, rehearse } = await start("");
    await writeFile(join(copy, "store.sqlite"), "nonsense".repeat(1_000));
    await expect(rehearse()).rejects.toThrow(/store\.sqlite is damaged/);
  },
);

test("it is ended when its caller aborts", { tags: "thorough" }, async () => {
  const { copy, rehearse } = await start(
    `await fs.writeFile(ctx.home + "/pid", String(process.pid)); await new Promise(() => {});`,
    'import * as fs from "node:fs/promises";',
  );
  const caller = new AbortController();
  const rehearsing = rehearse(caller.signal);
  let pid = 0;
  while (!(pid > 0)) {
    await new Promise(setImmediate);
    pid = Number(await readFile(join(copy, "pid"), "utf8").catch(() => "0"));
  }
  const reason = new Error("The caller has gone.");
  caller.abort(reason);
  await expect(rehearsing).rejects.toBe(reason);
  expect(await isRunning(pid)).toBe(false);
});
