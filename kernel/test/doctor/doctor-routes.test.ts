import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import type { DoctorReport } from "../../src/doctor/report.ts";
import { startTestKernel } from "../../testing/src/index.ts";
import { pluginCode, putPlugin } from "../support/daemon.ts";
import { createProbe, startProbe } from "../support/probe.ts";
import { temporaryFolder } from "../support/temporary.ts";

const codes = ({ findings }: DoctorReport) =>
  findings.filter(({ severity }) => severity !== "low").map(({ code }) => code);
/** What is so of the machine that runs the tests. */
const OF_THE_MACHINE = ["RUNS_AS_ROOT", "DISK_LOW", "HOME_ABOVE_OPEN"];
const own = (report: DoctorReport) =>
  codes(report).filter((code) => !OF_THE_MACHINE.includes(code));

test("it tells how the daemon stands", async () => {
  await using kernel = await startProbe(
    {},
    {
      config: {
        hosts: ["gantry.example.org"],
        hookHosts: ["hooks.example.org"],
      },
    },
  );
  const { port } = kernel.kernel;
  const { sessionId } = await kernel.pairAs("Phone");
  const { body } = await kernel.api.get<DoctorReport>("/api/doctor");
  expect(body).toMatchObject({
    at: kernel.clock.timestamp(),
    version: "0.0.0-test",
    home: kernel.home,
    daemon: { pid: process.pid, url: `http://gantry.localhost:${port}` },
    tls: "none",
    mode: "all",
    storage: { kind: "sqlite", problem: null },
    quarantine: { count: 0, items: [] },
    audit: { state: "intact", problem: null },
    exposed: [],
    stalls: [],
  });
  expect(body.listening[0]).toEqual({
    address: "127.0.0.1",
    port,
    reach: "this machine",
  });
  expect(body.names).toEqual(
    expect.arrayContaining([
      { name: `gantry.localhost:${port}`, role: "ui" },
      { name: "gantry.example.org", role: "ui" },
      { name: "hooks.example.org", role: "hook" },
    ]),
  );
  expect(body.devices!.find(({ id }) => id === sessionId)).toMatchObject({
    device: "Phone",
    online: false,
  });
  expect(body.plugins).toMatchObject([
    { id: "probe", origin: "bundled", state: "active" },
  ]);
  expect(body.audit.latest[0]).toMatchObject({
    action: "session.made",
    details: { device: "Phone" },
  });
  expect(own(body)).toEqual([]);
});

test("it knows who has something open", async () => {
  await using kernel = await startProbe();
  const { client, sessionId } = await kernel.pairAs("Phone");
  const stream = await client.open("/api/events");
  const { body } = await kernel.api.get<DoctorReport>("/api/doctor");
  expect(body.devices!.find(({ id }) => id === sessionId)!.online).toBe(true);
  await stream.body?.cancel();
});

test("it tells what is wrong, and what was mended is told of no more", async () => {
  await using kernel = await startProbe();
  const look = async () =>
    own((await kernel.api.get<DoctorReport>("/api/doctor")).body);
  await kernel.api.put("/api/auth/mode", { mode: "loopback" });
  await chmod(kernel.home, 0o755);
  await chmod(join(kernel.home, "token"), 0o644);
  expect((await look()).sort()).toEqual([
    "HOME_OPEN",
    "HOME_OPEN",
    "MODE_LOOPBACK",
  ]);
  await chmod(join(kernel.home, "token"), 0o600);
  await chmod(kernel.home, 0o700);
  await kernel.api.put("/api/auth/mode", { mode: "all" });
  expect(await look()).toEqual([]);
});

test("a record in quarantine is told of without what stands in it", async () => {
  const schema = z.object({
    id: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    revision: z.number(),
    number: z.number(),
  });
  await using kernel = await startProbe();
  const records = (version: number) =>
    kernel.ctx.store.collection({ name: "thing", version, schema });
  await records(2).insert({ id: "thi_1", number: 4711 });
  expect(await records(1).get("thi_1")).toBeUndefined();
  const { body } = await kernel.api.get<DoctorReport>("/api/doctor");
  expect(body.quarantine).toMatchObject({
    count: 1,
    items: [
      {
        plugin: "probe",
        key: "probe:thing:thi_1",
        reason: "it was written by a later version (2)",
      },
    ],
  });
  expect(JSON.stringify(body.quarantine)).not.toContain("4711");
  expect(own(body)).toEqual(["RECORDS_QUARANTINED"]);
});

test("plugins say where they come from, and another byte is another digest", async () => {
  const home = await temporaryFolder();
  const look = async (code: string) => {
    await putPlugin(home, "notes", code, "gantry-plugin-notes");
    await using kernel = await startTestKernel([createProbe()], { home });
    const { body } = await kernel.api.get<DoctorReport>("/api/doctor");
    const entries = body.audit.latest.filter(
      ({ action }) => action === "plugin.loaded",
    );
    return { plugin: body.plugins.find(({ id }) => id === "notes")!, entries };
  };
  const first = await look(pluginCode("notes"));
  expect(first.plugin).toMatchObject({
    package: "gantry-plugin-notes",
    version: "1.0.0",
    origin: "installed",
    state: "active",
    digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(first.entries[0]!.details.digest).toBe(first.plugin.digest);
  expect((await look(pluginCode("notes"))).plugin.digest).toBe(
    first.plugin.digest,
  );
  expect((await look(`${pluginCode("notes")} `)).plugin.digest).not.toBe(
    first.plugin.digest,
  );
});

test("a plugin that failed is told of, without secrets", async () => {
  await using kernel = await startTestKernel([
    createProbe({
      setup() {
        throw new Error("No access to https://ada:hunter2@example.org");
      },
    }),
  ]);
  kernel.expectFault(/./);
  const { body } = await kernel.api.get<DoctorReport>("/api/doctor");
  const finding = body.findings.find(({ code }) => code === "PLUGIN_FAILED");
  expect(finding!.what).toContain(
    "No access to https://[redacted]@example.org",
  );
  expect(JSON.stringify(body)).not.toContain("hunter2");
});
