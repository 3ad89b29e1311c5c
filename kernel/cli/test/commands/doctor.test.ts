import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tamper } from "../../../system/test/support/audit.ts";
import {
  pluginCode,
  putPlugin,
  runGantry,
  startDaemon,
} from "../../../core/test/support/daemon.ts";
import type { DoctorReport } from "../../../core/test/support/doctor-report.ts";
import { temporaryFolder } from "@gantry/build/testing";

async function examine(home: string, env?: Record<string, string>) {
  const { code, stdout, stderr } = await runGantry(
    ["doctor", "--home", home, "--json"],
    { env },
  );
  expect(stderr).toBe("");
  const report = JSON.parse(stdout) as DoctorReport;
  const highs = report.findings.filter(({ severity }) => severity === "high");
  expect(code).toBe(highs.length > 0 ? 1 : 0);
  return { report, high: highs.map((finding) => finding.code) };
}

async function newHome(): Promise<string> {
  const home = join(await temporaryFolder(), "home");
  await mkdir(home, { mode: 0o700 });
  return home;
}

test("where nothing is yet, nothing is wrong, and nothing is made", async () => {
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

test(
  "a running daemon answers the same as its API; a stopped one is looked at from outside",
  { tags: "thorough" },
  async () => {
    const home = await newHome();
    await putPlugin(home, "notes", pluginCode("notes"));
    const daemon = await startDaemon(home);
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
    const api = (await (
      await daemon.call("/api/doctor")
    ).json()) as DoctorReport;
    const plain = (one: DoctorReport) => ({ ...one, at: "", storage: null });
    expect(plain(report)).toEqual(plain(api));
    const text = await runGantry(["doctor", "--home", home]);
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
      plugins: [
        {
          id: "notes",
          origin: "installed",
          digest: report.plugins.find(({ id }) => id === "notes")!.digest,
        },
      ],
    });
    expect(stopped.report.audit.latest[0]!.action).toBe("daemon.stopped");
  },
);

test(
  "a daemon that says nothing is reported, and does not keep the doctor waiting for ever",
  { tags: "thorough" },
  async () => {
    const home = await newHome();
    const daemon = await startDaemon(home);
    daemon.kill("SIGSTOP");
    const { report, high } = await examine(home);
    expect(high).toEqual(["DAEMON_SILENT"]);
    expect(report.daemon).toBeNull();
    daemon.kill("SIGCONT");
  },
);

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

test(
  "a damaged store, a changed audit log and an open home are reported, each with a fix",
  { tags: "thorough" },
  async () => {
    const home = await newHome();
    const daemon = await startDaemon(home);
    daemon.kill();
    await daemon.ended;
    await tamper(home, "store.sqlite", (content) => content.fill(7, 4096));
    await tamper(join(home, "audit"), "audit-000001.jsonl", (content) =>
      content.subarray(1),
    );
    await chmod(home, 0o755);
    const { high } = await examine(home);
    expect(high.sort()).toEqual(["AUDIT_BROKEN", "HOME_OPEN", "STORE_DAMAGED"]);
    const { code, stdout } = await runGantry(["doctor", "--home", home]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `WRONG ${home} is open to other users (mode 0755).\n      Close it: chmod go-rwx ${home}`,
    );
  },
);

test("what a daemon would be told by its environment counts", async () => {
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
  await rm(home, { recursive: true });
});
