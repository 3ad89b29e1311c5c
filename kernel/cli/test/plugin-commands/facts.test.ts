import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DaemonFacts, Finding } from "@gantry/plugin";
import { expect, test } from "vitest";
import {
  putCommandPlugin,
  singleCommandCode,
} from "../support/command-plugin.ts";
import {
  pluginCode,
  putPlugin,
  runGantry,
  startDaemon,
} from "@gantry/test-support/daemon";
import { temporaryFolder } from "@gantry/test-support/temporary";

const READ = `print(JSON.stringify({ facts: await facts.read(), findings: await facts.findings() }));`;

async function newHome(): Promise<string> {
  const home = await temporaryFolder();
  await putCommandPlugin(
    join(home, "plugins"),
    "notes",
    singleCommandCode("notes", READ),
  );
  return home;
}

async function read(home: string, env?: Record<string, string>) {
  const { stdout, stderr } = await runGantry(["notes", "--home", home], {
    env,
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as { facts: DaemonFacts; findings: Finding[] };
}

test("a command gets the facts and findings of the running daemon, and after its stop what the files say", async () => {
  const home = await newHome();
  const finding = { severity: "low", code: "PROBE_LATE", what: "x", fix: "y" };
  const check = `ctx.diagnose(() => [${JSON.stringify(finding)}]);`;
  await putPlugin(home, "probe", pluginCode("probe", check));
  const daemon = await startDaemon(home);
  const { facts, findings } = await read(home);
  expect(facts).toMatchObject({
    home,
    daemon: {
      pid: daemon.pid,
      url: daemon.ready.url,
      memoryBytes: expect.any(Number) as number,
    },
    isSilent: false,
    configProblem: null,
    mode: "all",
    audit: { state: "intact" },
    storage: { kind: "sqlite", problem: null, tooNew: 0 },
  });
  expect(facts.listening[0]).toEqual({
    address: "127.0.0.1",
    port: daemon.port,
    reach: "this machine",
  });
  expect(facts.privatePaths).toContain(join(home, "token"));
  expect(facts.plugins.map(({ id, state }) => [id, state])).toEqual([
    ["notes", "active"],
    ["probe", "active"],
  ]);
  expect(findings).toEqual([finding]);
  const token = daemon.authorization.replace("Bearer ", "");
  expect(JSON.stringify(facts)).not.toContain(token);

  daemon.kill();
  await daemon.ended;
  const stopped = await read(home);
  expect(stopped.findings).toEqual([]);
  expect(stopped.facts).toMatchObject({
    daemon: null,
    mode: "all",
    devices: [],
    quarantine: { count: 0, items: [] },
    storage: { kind: "sqlite", problem: null, tooNew: null },
  });
  expect(stopped.facts.plugins).toEqual(
    facts.plugins.map((plugin) => ({ ...plugin, state: "stopped" })),
  );
  expect(stopped.facts.audit.latest[0]!.action).toBe("daemon.stopped");
});

test("facts of a home name what its configuration and environment say, and nothing is created", async () => {
  const home = await newHome();
  const { facts } = await read(home, {
    GANTRY_HOST: "0.0.0.0",
    GANTRY_INSECURE: "1",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  });
  expect(facts).toMatchObject({
    daemon: null,
    devices: null,
    checksCertificates: false,
    listening: [{ address: "0.0.0.0", port: 7420, reach: "the network" }],
  });
  await writeFile(join(home, "config.json"), '{"prot":1}');
  expect((await read(home)).facts.configProblem).toMatch(/"prot"/);
  expect((await readdir(home)).sort()).toEqual(["config.json", "plugins"]);
});

test("a single command is called by the name of its plugin, and chooses its exit code", async () => {
  const home = await temporaryFolder();
  const code = singleCommandCode(
    "notes",
    "print(String(args.only)); return args.only === undefined ? 0 : 7;",
    { only: { type: "string", description: "Of one kind" } },
  );
  await putCommandPlugin(join(home, "plugins"), "notes", code);
  const gantry = (...args: string[]) =>
    runGantry(["notes", ...args, "--home", home]);
  expect(await gantry()).toEqual({
    code: 0,
    stdout: "undefined\n",
    stderr: "",
  });
  expect(await gantry("--only", "old")).toMatchObject({
    code: 7,
    stdout: "old\n",
  });
  expect(await gantry("list")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('takes no argument "list"') as string,
  });
  const help = await gantry("--help");
  expect(help.stdout).toContain("USAGE gantry notes [OPTIONS]");
  expect(help.stdout).toMatch(/--only=<only> +Of one kind/);
});

test("a file with both a single command and several is refused", async () => {
  const home = await temporaryFolder();
  const both = singleCommandCode("notes", "").replace(
    "command: {",
    "commands: {}, command: {",
  );
  await putCommandPlugin(join(home, "plugins"), "notes", both);
  expect(await runGantry(["notes", "--home", home])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("either `commands` or `command`") as string,
  });
});
