import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { startTestKernel } from "../../../testing/src/index.ts";
import { pluginCode, putPlugin } from "../support/daemon.ts";
import type { DoctorReport } from "../support/doctor-report.ts";
import { createProbe, startProbe } from "../support/probe.ts";
import { temporaryFolder } from "@gantry/build/testing";

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

test("it tells what is wrong, and no longer reports what was fixed", async () => {
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

const Thing = z.object({ ...storedFields, number: z.number() });
const WideThing = z.object({ ...storedFields, number: z.any() });
type Thing = z.infer<typeof Thing>;

/** A kernel in which a plugin has read `count` records that do not fit their schema. */
async function startWithQuarantine(count = 1) {
  const kernel = await startProbe();
  const records = (
    schema: CollectionDefinition<Thing>["schema"] = Thing,
    version = 1,
  ) => kernel.ctx.store.collection({ name: "thing", version, schema });
  const wide = records(WideThing);
  for (let n = 1; n <= count; n++) {
    await wide.insert({ id: `thi_${n}`, number: "4711" as never });
    await kernel.clock.advance(1_000);
    await records().get(`thi_${n}`);
  }
  return Object.assign(kernel, { records });
}

test("a record in quarantine is reported without its content, and listed in pages", async () => {
  await using kernel = await startWithQuarantine(3);
  const { body } = await kernel.api.get<DoctorReport>("/api/doctor");
  expect(body.quarantine).toMatchObject({
    count: 3,
    items: [
      { key: "probe:thing:thi_3" },
      { key: "probe:thing:thi_2" },
      {
        plugin: "probe",
        key: "probe:thing:thi_1",
        reason: expect.stringContaining('"number"') as string,
        at: "2026-03-02T12:00:01.000Z",
      },
    ],
  });
  expect(JSON.stringify(body.quarantine)).not.toContain("4711");
  expect(own(body)).toEqual(["RECORDS_QUARANTINED"]);
  type List = { items: { key: string }[]; nextCursor: string | null };
  const first = await kernel.api.get<List>("/api/doctor/quarantine?limit=2");
  expect(first.body.items.map(({ key }) => key)).toEqual([
    "probe:thing:thi_3",
    "probe:thing:thi_2",
  ]);
  const rest = await kernel.api.get<List>(
    `/api/doctor/quarantine?cursor=${first.body.nextCursor}`,
  );
  expect(rest.body).toEqual({
    items: [body.quarantine!.items[2]],
    nextCursor: null,
  });
  expect(
    await kernel.api.get("/api/doctor/quarantine?cursor=qua_none"),
  ).toMatchObject({ status: 400, body: { code: "BAD_CURSOR" } });
});

test("a listing of records in quarantine continues when its last record was deleted", async () => {
  await using kernel = await startWithQuarantine(3);
  const path = "/api/doctor/quarantine";
  type List = { items: { id: string; key: string }[]; nextCursor: string };
  const { body: first } = await kernel.api.get<List>(`${path}?limit=2`);
  await kernel.api.delete(`${path}/${first.items[1]!.id}`);
  const rest = await kernel.api.get<List>(`${path}?cursor=${first.nextCursor}`);
  expect(rest).toMatchObject({
    status: 200,
    body: { items: [{ key: "probe:thing:thi_1" }], nextCursor: null },
  });
});

test("a record leaves quarantine when it fits, or is deleted permanently", async () => {
  await using kernel = await startWithQuarantine(2);
  const path = "/api/doctor/quarantine";
  const { body } = await kernel.api.get<{
    items: { id: string; key: string }[];
  }>(path);
  const [second, first] = body.items;
  expect(await kernel.api.post(`${path}/${first!.id}/restore`)).toMatchObject({
    status: 409,
    body: {
      code: "QUARANTINE_NOT_RESTORED",
      detail: expect.stringContaining("number") as string,
    },
  });
  expect(await kernel.api.delete(`${path}/${second!.id}`)).toMatchObject({
    status: 200,
  });
  expect(await kernel.api.delete(`${path}/${second!.id}`)).toMatchObject({
    status: 404,
    body: { code: "QUARANTINE_NOT_FOUND" },
  });
  const { engine } = kernel.kernel.foundation.core;
  expect(
    (await engine.keys("probe:")).filter((key) => /thi_2/.test(key)),
  ).toEqual([]);
  const wide = kernel.records(WideThing);
  await kernel.api.post(`${path}/${first!.id}/restore`);
  expect((await wide.list()).items).toMatchObject([{ id: "thi_1" }]);
  expect((await kernel.api.get(path)).body).toEqual({
    items: [],
    nextCursor: null,
  });
  expect(await kernel.stranger.get(path)).toMatchObject({ status: 401 });
});

test("records of a later version are counted", async () => {
  await using kernel = await startWithQuarantine(0);
  await kernel.records(Thing, 2).insert({ id: "thi_1", number: 1 });
  expect((await kernel.records().list()).items).toEqual([]);
  const { body } = await kernel.api.get<DoctorReport>("/api/doctor");
  expect(body.storage.tooNew).toBe(1);
  expect(own(body)).toEqual(["RECORDS_TOO_NEW"]);
});

test("it shows what plugins find wrong, and a check that fails costs no other its findings", async () => {
  const late = {
    severity: "high",
    code: "NOTES_LATE",
    what: "Two notes are late.",
    fix: "Write them.",
  } as const;
  await using kernel = await startProbe();
  const { ctx } = kernel;
  kernel.expectFault(/Check for the doctor failed/);
  const undo = ctx.diagnose(() => Promise.resolve([late]));
  ctx.diagnose(() => {
    throw new Error("The check broke.");
  });
  ctx.diagnose(() => new Promise(() => {}));
  ctx.diagnose(() => [{ ...late, code: "no code" }]);
  const look = async () =>
    (await kernel.api.get<DoctorReport>("/api/doctor")).body.findings;
  const found = await look();
  const failed = found.filter(({ code }) => code === "PLUGIN_CHECK_FAILED");
  expect(failed).toHaveLength(3);
  expect(failed[0]!.what).toContain('"probe"');
  expect(found[0]).toEqual(late);
  undo();
  expect(await look()).not.toContainEqual(late);
  // What a plugin registered leaves with it.
  await kernel.kernel.plugins.stop("probe");
  const left = (await look()).map(({ code }) => code);
  expect(left).not.toContain("PLUGIN_CHECK_FAILED");
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

test("a plugin that failed is reported, without secrets", async () => {
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
