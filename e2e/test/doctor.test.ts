import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileURLToPath } from "node:url";
import type { DoctorReport } from "@gantry/plugin-doctor/contract";
import {
  pluginCode,
  putPlugin,
  runGantry,
  startDaemon,
} from "@gantry/test-support/daemon";
import { temporaryFolder } from "@gantry/test-support/temporary";

/** The built command, which has the delivered plugins. */
const entry = fileURLToPath(
  new URL("../../kernel/core/bin/gantry.mjs", import.meta.url),
);

const runDoctor = (
  home: string,
  args: readonly string[] = [],
  env?: Record<string, string>,
) => runGantry(["doctor", "--home", home, ...args], { env, entry });

async function examine(home: string, env?: Record<string, string>) {
  const { code, stdout, stderr } = await runDoctor(home, ["--json"], env);
  expect(stderr).toBe("");
  const report = JSON.parse(stdout) as DoctorReport;
  const highs = report.findings.filter(({ severity }) => severity === "high");
  expect(code).toBe(highs.length > 0 ? 1 : 0);
  return { report, high: highs.map((finding) => finding.code) };
}

/** Changes a file as nothing but an intruder or a broken disk does. */
async function tamper(
  file: string,
  change: (content: Buffer) => Uint8Array,
): Promise<void> {
  await writeFile(file, change(await readFile(file)));
}

async function newHome(): Promise<string> {
  const home = join(await temporaryFolder(), "home");
  await mkdir(home, { mode: 0o700 });
  return home;
}

test("without a home there are no problems, and nothing is created", async () => {
  const home = join(await temporaryFolder(), "home");
  const { report, high } = await examine(home);
  expect(high).toEqual([]);
  expect(report).toMatchObject({
    daemon: null,
    audit: { state: "empty" },
    devices: null,
    listening: [{ address: "127.0.0.1", port: 7420 }, { address: "::1" }],
  });
  await expect(readdir(home)).rejects.toThrow("ENOENT");
});

test("a running daemon answers the same as its API; a stopped one is examined from outside", async () => {
  const home = await newHome();
  await putPlugin(home, "notes", pluginCode("notes"));
  const daemon = await startDaemon(home, [], { entry });
  const origin = `http://127.0.0.1:${daemon.port}`;
  const paired = await daemon.call("/api/auth/pairings", {
    method: "POST",
    headers: { origin },
  });
  const { code } = (await paired.json()) as { code: string };
  await fetch(`http://127.0.0.1:${daemon.port}/pair`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ code, device: "Phone" }),
  });
  const { report, high } = await examine(home);
  expect(high).toEqual([]);
  const api = (await (await daemon.call("/api/doctor")).json()) as DoctorReport;
  const plain = (one: DoctorReport) => ({ ...one, at: "", storage: null });
  expect(report.daemon).not.toBeNull();
  expect(plain(report)).toEqual(plain(api));
  const text = await runDoctor(home);
  expect(text.code).toBe(0);
  expect(text.stdout).toContain(`serves ${daemon.ready.url}`);
  expect(text.stdout).toMatch(/Paired devices\n {2}Phone from 127\.0\.0\.1/);
  daemon.kill();
  await daemon.ended;
  const stopped = await examine(home);
  expect(stopped.high).toEqual([]);
  expect(stopped.report).toMatchObject({
    daemon: null,
    mode: "all",
    devices: [{ device: "Phone" }],
    quarantine: { count: 0 },
    audit: { state: "intact" },
  });
  const notes = (one: DoctorReport) =>
    one.plugins.find(({ id }) => id === "notes");
  expect(notes(stopped.report)).toEqual({
    ...notes(report)!,
    state: "stopped",
  });
  expect(notes(report)).toMatchObject({ origin: "installed", state: "active" });
  expect(stopped.report.audit.latest[0]!.action).toBe("daemon.stopped");
});

test("a daemon that does not answer is reported, and does not block the doctor", async () => {
  const home = await newHome();
  const daemon = await startDaemon(home, ["--safe"], { entry });
  daemon.kill("SIGSTOP");
  const { report, high } = await examine(home);
  expect(high).toEqual(["DAEMON_SILENT"]);
  expect(report.daemon).toBeNull();
  daemon.kill("SIGCONT");
});

test.each([
  ["{", /is not JSON/],
  ['{"prot":1}', /Unrecognized key: "prot"/],
])(
  "settings %j that no daemon would start with are reported",
  async (text, message) => {
    const home = await newHome();
    await writeFile(join(home, "config.json"), text);
    const { report, high } = await examine(home);
    expect(high).toEqual(["CONFIG_INVALID"]);
    expect(report.findings[0]!.what).toMatch(message);
  },
);

test("a damaged store, a changed audit log and an open home are reported, each with a fix", async () => {
  const home = await newHome();
  const daemon = await startDaemon(home, ["--safe"], { entry });
  daemon.kill();
  await daemon.ended;
  await tamper(join(home, "store.sqlite"), (content) => content.fill(7, 4096));
  await tamper(join(home, "audit", "audit-000001.jsonl"), (content) =>
    content.subarray(1),
  );
  await chmod(home, 0o755);
  const { high } = await examine(home);
  expect(high.sort()).toEqual(["AUDIT_BROKEN", "HOME_OPEN", "STORE_DAMAGED"]);
  const { code, stdout } = await runDoctor(home);
  expect(code).toBe(1);
  expect(stdout).toContain(
    `WRONG ${home} is open to other users (mode 0755).\n      Close it: chmod go-rwx ${home}`,
  );
});

test("settings in the environment are taken into account", async () => {
  const home = await newHome();
  const { report, high } = await examine(home, {
    GANTRY_HOST: "0.0.0.0",
    GANTRY_INSECURE: "1",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  });
  expect(high).toEqual(["NETWORK_PLAIN", "TLS_UNCHECKED"]);
  expect(report.listening).toEqual([
    { address: "0.0.0.0", port: 7420, reach: "the network" },
  ]);
});

test("it runs no code of added plugins on a stopped home", async () => {
  const home = await newHome();
  const trace = join(home, "trace");
  const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(trace)}, "");`;
  await putPlugin(home, "notes", pluginCode("notes", "", code));
  const { report } = await examine(home);
  expect(report.plugins).toContainEqual(
    expect.objectContaining({ id: "notes", state: "stopped" }),
  );
  await expect(readFile(trace)).rejects.toThrow("ENOENT");
});

test("with --safe the doctor runs, and no other plugin that was added or named", async () => {
  const home = await newHome();
  await putPlugin(home, "notes", pluginCode("notes"));
  await startDaemon(home, ["--safe"], { entry });
  const { report } = await examine(home);
  const states = report.plugins.map(({ id, state }) => [id, state]);
  expect(Object.fromEntries(states)).toMatchObject({
    doctor: "active",
    notes: "disabled",
    agents: "disabled",
  });
});

test("its help names its options, and a wrong one ends with exit code 2", async () => {
  const home = await newHome();
  const help = await runDoctor(home, ["--help"]);
  expect(help.stdout).toContain("USAGE gantry doctor [OPTIONS]");
  expect(help.stdout).toMatch(/--json +Print JSON/);
  expect(await runDoctor(home, ["--jsn"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean "--json"') as string,
  });
  const whole = await runGantry(["--help"], { entry });
  expect(whole.stdout).toMatch(/doctor +Report the state/);
});
