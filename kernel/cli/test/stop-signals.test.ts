import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { readLatest } from "@gantry/system/audit/audit-files";
import { startTimeOf } from "@gantry/system/processes/identity";
import {
  pluginCode,
  putPlugin,
  spawnGantry,
  startDaemon,
} from "../../core/test/support/daemon.ts";
import type { Daemon } from "../../core/test/support/daemon.ts";

const HANG = "new Promise(() => {})";
/** Time that plugins get to stop, which an interrupted stop does not wait for. */
const PLUGINS_LIMIT_MS = 7_500;

/** Milliseconds from the first signal to the end of the process. */
async function timeOf(daemon: Daemon): Promise<number> {
  const begin = performance.now();
  daemon.kill();
  await daemon.ended;
  return performance.now() - begin;
}

/** Whether the home was left as a clean stop leaves it. */
async function expectCleanStop(home: string): Promise<void> {
  expect(existsSync(join(home, "daemon.json"))).toBe(false);
  // SQLite removes its log when the last connection closes.
  expect(existsSync(join(home, "store.sqlite-wal"))).toBe(false);
  expect(await readLatest(join(home, "audit"), 1)).toMatchObject([
    { action: "daemon.stopped" },
  ]);
}

const logged = (daemon: Daemon, message: string) =>
  daemon.logged((line) => line.message === message, message);

test(
  "a signal that comes twice at once, as to a process group, is one",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    await putPlugin(
      home,
      "slow",
      pluginCode(
        "slow",
        `ctx.own(async () => {
        ctx.log.warn("Begins");
        await new Promise((resolve) => setTimeout(resolve, 300));
        ctx.log.warn("Ends");
      });`,
      ),
    );
    const daemon = await startDaemon(home);
    daemon.kill();
    daemon.kill("SIGINT");
    await logged(daemon, "Begins");
    daemon.kill();
    expect(await daemon.ended).toMatchObject({ code: 0 });
    await logged(daemon, "Ends");
    await expectCleanStop(home);
  },
);

test(
  "another signal after two seconds cuts short what hangs, and the store is closed",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    await putPlugin(
      home,
      "stuck",
      // Two, since one alone is given up after 5 s.
      pluginCode(
        "stuck",
        `ctx.own(() => { ctx.log.warn("Hangs"); return ${HANG}; });`.repeat(2),
      ),
    );
    const daemon = await startDaemon(home);
    const begin = performance.now();
    daemon.kill();
    await logged(daemon, "Hangs");
    const again = setInterval(() => daemon.kill(), 100);
    expect(await daemon.ended).toMatchObject({ code: 0 });
    clearInterval(again);
    expect(performance.now() - begin).toBeLessThan(PLUGINS_LIMIT_MS);
    await expectCleanStop(home);
  },
);

test("whatever hangs in however many plugins, it ends within ten seconds, with its children gone and its store closed", async () => {
  const home = await temporaryFolder();
  const hang = `
    ctx.own(() => ${HANG});
    ctx.own(() => ${HANG});
    const child = await ctx.run("/bin/sh", ["-c", "trap '' TERM HUP INT; echo up; while :; do sleep 1; done"]);
    ctx.log.error("Child " + child.pid);
    await new Promise((resolve) => child.stdout.once("data", resolve));`;
  const service = (id: string) => `{ kind: "service", id: "${id}.thing@1" }`;
  const plugin = (id: string, needed?: string) =>
    pluginCode(id, `ctx.provide(${service(id)}, {}); ${hang}`).replace(
      "async setup",
      `provides: [${service(id)}],
       needs: ${needed ? `{ thing: ${service(needed)} }` : "{}"}, async setup`,
    );
  await putPlugin(home, "one", plugin("one"));
  await putPlugin(home, "two", plugin("two", "one"));
  await putPlugin(home, "three", plugin("three", "two"));
  const daemon = await startDaemon(home);
  const children = daemon
    .log()
    .flatMap(({ message }) => /^Child (\d+)$/.exec(String(message))?.[1] ?? [])
    .map(Number);
  expect(children).toHaveLength(3);
  expect(await timeOf(daemon)).toBeLessThan(10_000);
  expect(await daemon.ended).toMatchObject({ code: 0 });
  for (const pid of children) expect(await startTimeOf(pid)).toBeUndefined();
  await expectCleanStop(home);
});

test(
  "after a fault of its own the daemon ends in the same time, whatever hangs",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    const hang = `ctx.own(() => ${HANG});`;
    await putPlugin(home, "stuck", pluginCode("stuck", hang.repeat(6)));
    const entry = fileURLToPath(
      new URL("../../core/test/support/run-with-fault.ts", import.meta.url),
    );
    const daemon = await startDaemon(home, [], { entry });
    const begin = performance.now();
    daemon.kill("SIGUSR2");
    expect(await daemon.ended).toMatchObject({ code: 70 });
    expect(performance.now() - begin).toBeLessThan(15_000);
    await expectCleanStop(home);
  },
);

test("plugins that do not need each other stop side by side, and each before what it needs", async () => {
  const home = await temporaryFolder();
  const token = `{ kind: "service", id: "base.thing@1" }`;
  const stops = (id: string) =>
    `ctx.own(async () => {
      ctx.log.error("${id} begins");
      await new Promise((resolve) => setTimeout(resolve, 200));
      ctx.log.error("${id} ends");
    });`;
  await putPlugin(
    home,
    "base",
    pluginCode("base", `ctx.provide(${token}, {}); ${stops("base")}`).replace(
      "async setup",
      `provides: [${token}], async setup`,
    ),
  );
  for (const id of ["one", "two"])
    await putPlugin(
      home,
      id,
      pluginCode(id, stops(id)).replace(
        "async setup",
        `needs: { thing: ${token} }, async setup`,
      ),
    );
  const daemon = await startDaemon(home);
  daemon.kill();
  await daemon.ended;
  const steps = daemon
    .log()
    .map(({ message }) => String(message))
    .filter((message) => /begins|ends/.test(message));
  expect(steps.slice(0, 2).sort()).toEqual(["one begins", "two begins"]);
  expect(steps.slice(2, 4).sort()).toEqual(["one ends", "two ends"]);
  expect(steps.slice(4)).toEqual(["base begins", "base ends"]);
});

test.each(
  cases([
    [
      "sets itself up",
      pluginCode("slow", `process.stderr.write("Working\\n"); await ${HANG};`),
    ],
    ["loads", `process.stderr.write("Working\\n"); await ${HANG};`],
  ]),
)(
  "a stop while a plugin %s is clean and at once, and costs the plugin nothing",
  { tags: "thorough" },
  async (_, code) => {
    const home = await temporaryFolder();
    await putPlugin(home, "slow", code);
    for (let start = 1; start <= 3; start++) {
      const { child, ended } = spawnGantry([
        "serve",
        "--home",
        home,
        "--json",
        "--port",
        "0",
      ]);
      await new Promise<void>((resolve) =>
        child.stderr.on("data", (text: string) => {
          if (text.includes("Working")) resolve();
        }),
      );
      const begin = performance.now();
      child.kill("SIGINT");
      child.kill("SIGTERM");
      expect(await ended).toMatchObject({ code: 0, stdout: "" });
      expect(performance.now() - begin).toBeLessThan(PLUGINS_LIMIT_MS);
      await expectCleanStop(home);
    }
    await putPlugin(home, "slow", pluginCode("slow"));
    const daemon = await startDaemon(home);
    const answer = await daemon.call("/api/doctor");
    expect(await answer.json()).toMatchObject({
      plugins: [{ id: "slow", state: "active" }],
    });
  },
);
