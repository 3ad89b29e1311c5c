import { appendFile, mkdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifyAudit } from "@gantry/system/audit/verify-audit";
import { settle } from "../../../testing/src/index.ts";
import { temporaryFolder } from "@gantry/build/testing";
import {
  auditEntries,
  auditFiles,
  auditLines,
  openTestAudit,
  recordMany,
  tamper,
} from "../../../system/test/support/audit.ts";

describe("an entry", () => {
  test("is on disk when its promise resolves, with number, time, owner and details", async () => {
    const { folder, audit, clock } = await openTestAudit();
    await audit.record("session.made", { session: "ses_1", device: "Phone" });
    await audit.as("notes").record("notes.burnt");
    expect(await auditEntries(folder)).toEqual([
      expect.objectContaining({
        seq: 1,
        at: clock.timestamp(),
        by: "kernel",
        action: "session.made",
        details: { session: "ses_1", device: "Phone" },
      }),
      expect.objectContaining({ seq: 2, by: "notes", action: "notes.burnt" }),
    ]);
  });

  test("is one line of ASCII whatever is in it, and short", async () => {
    const { folder, audit } = await openTestAudit();
    const hostile = "a\r\n\u001b[2J\u2028\u202e\u0000\ud800 é 🦊";
    await audit.record("probe.done", { hostile, long: "x".repeat(1_000_000) });
    const lines = await auditLines(folder);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[\x20-\x7e]+$/);
    expect(lines[0]!.length).toBeLessThan(1000);
    const [entry] = await auditEntries(folder);
    expect(entry!.details.hostile).toBe(hostile);
    expect(entry!.details.long).toHaveLength(256);
  });

  test("has no secrets and no more values than can be read", async () => {
    const { folder, audit } = await openTestAudit({
      redact: (text) => text.replaceAll("hunter2", "[redacted]"),
    });
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`n${at}`, at]),
    );
    await audit.record("probe.done", { text: "is hunter2", ...many });
    const [entry] = await auditEntries(folder);
    expect(entry!.details.text).toBe("is [redacted]");
    expect(Object.keys(entry!.details)).toHaveLength(16);
  });

  test("is readable by the user alone", async () => {
    const { folder, audit } = await openTestAudit();
    await audit.record("probe.done");
    for (const name of [...(await auditFiles(folder)), "head.json"])
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });
});

test("many at once keep their order and are written together", async () => {
  const { folder, audit } = await openTestAudit();
  await Promise.all(
    Array.from({ length: 500 }, (_, number) =>
      audit.record("probe.done", { number }),
    ),
  );
  const numbers = (await auditEntries(folder)).map(
    ({ details }) => details.number,
  );
  expect(numbers).toEqual(Array.from({ length: 500 }, (_, number) => number));
  expect(await verifyAudit(folder)).toMatchObject({
    state: "intact",
    entries: 500,
  });
});

test("it continues where it was left, and knows its newest entries", async () => {
  const first = await openTestAudit();
  await recordMany(first.audit, 3);
  await first.audit.close();
  const { folder, audit } = await openTestAudit({ folder: first.folder });
  expect(audit.latest(2)).toMatchObject([{ seq: 3 }, { seq: 2 }]);
  await audit.record("probe.done", { number: 4 });
  expect(audit.latest(1)).toMatchObject([{ seq: 4, details: { number: 4 } }]);
  expect(await verifyAudit(folder)).toMatchObject({
    state: "intact",
    entries: 4,
  });
});

describe("a flood", () => {
  test("of one kind is a line at once, and a number at the end of the minute", async () => {
    const { folder, audit, clock } = await openTestAudit();
    for (let time = 0; time < 10_000; time++)
      audit.note("host.refused", { host: "evil.example" });
    await settle();
    await clock.advance(60_000);
    await audit.record("probe.done");
    expect(await auditEntries(folder)).toMatchObject([
      { action: "host.refused", details: { host: "evil.example" } },
      { action: "host.refused", again: 9_999 },
      { action: "probe.done" },
    ]);
    expect(clock.pending).toBe(0);
  });

  test("of ever new kinds is no more than some lines a minute", async () => {
    const { folder, audit, clock } = await openTestAudit();
    for (let minute = 0; minute < 3; minute++) {
      for (let time = 0; time < 5_000; time++)
        audit.note("host.refused", { host: `${minute}-${time}.example` });
      await clock.advance(60_000);
    }
    await audit.record("probe.done");
    const entries = await auditEntries(folder);
    expect(entries.length).toBeLessThanOrEqual(3 * 9 + 1);
    const again = entries.reduce((sum, entry) => sum + (entry.again ?? 1), 0);
    expect(again).toBe(3 * 5_000 + 1);
  });

  test("that the daemon's end cuts short is counted", async () => {
    const { folder, audit } = await openTestAudit();
    for (let time = 0; time < 100; time++) audit.note("host.refused");
    await audit.close();
    expect(await auditEntries(folder)).toMatchObject([{}, { again: 99 }]);
  });
});

describe("its files", () => {
  test("are no more than a cap, and what is left is intact", async () => {
    const limits = { fileBytes: 2048, files: 3 };
    const { folder, audit } = await openTestAudit({ limits });
    await recordMany(audit, 200);
    const files = await auditFiles(folder);
    expect(files).toHaveLength(3);
    for (const name of files)
      expect((await stat(join(folder, name))).size).toBeLessThan(2048 + 400);
    const verdict = await verifyAudit(folder);
    expect(verdict).toMatchObject({ state: "intact", last: { seq: 200 } });
    await audit.close();
    const again = await openTestAudit({ folder, limits });
    await recordMany(again.audit, 50, 201);
    expect(await verifyAudit(folder)).toMatchObject({
      state: "intact",
      last: { seq: 250 },
    });
  });

  test("that cannot be written keep no caller waiting, and what was to be written follows", async () => {
    const { folder, audit, log } = await openTestAudit({
      limits: { fileBytes: 1, files: 100 },
    });
    await audit.record("probe.done", { number: 1 });
    const inTheWay = join(folder, "audit-000002.jsonl");
    await mkdir(inTheWay);
    await recordMany(audit, 1_500, 2);
    expect(audit.fault).toBe("EISDIR");
    expect(log.lines).toMatchObject([{ level: "error" }]);
    await rmdir(inTheWay);
    await audit.record("probe.done", { number: "last" });
    expect(audit.fault).toBeUndefined();
    const entries = await auditEntries(folder);
    expect(entries).toHaveLength(1 + 1_000 + 1);
    expect(entries[1]!.details.number).toBe(2);
    expect(entries.at(-1)).toMatchObject({
      action: "audit.lost",
      details: { count: 501 },
    });
    expect(await verifyAudit(folder)).toMatchObject({ state: "intact" });
  });

  test("that cannot even be made are made later", async () => {
    const folder = join(await temporaryFolder(), "later");
    const { audit, log } = await openTestAudit({ folder });
    await audit.record("probe.done", { number: 1 });
    expect(audit.fault).toBe("ENOENT");
    expect(log.lines).toHaveLength(1);
    await mkdir(folder);
    await audit.record("probe.done", { number: 2 });
    expect(await auditEntries(folder)).toMatchObject([{ seq: 1 }, { seq: 2 }]);
  });

  test("may end in half a line that a crash left, which is taken away", async () => {
    const { folder, audit } = await openTestAudit();
    await recordMany(audit, 3);
    await audit.close();
    const [name] = await auditFiles(folder);
    await appendFile(join(folder, name!), '{"seq":4,"at":"20');
    expect(await verifyAudit(folder)).toMatchObject({ state: "intact" });
    const again = await openTestAudit({ folder });
    await recordMany(again.audit, 1, 4);
    expect(await verifyAudit(folder)).toMatchObject({
      state: "intact",
      entries: 4,
    });
    expect(again.log.lines).toEqual([]);
  });

  test.each([
    [
      "its last line",
      (content: Buffer) => content.subarray(0, content.lastIndexOf(10, -2) + 1),
    ],
    ["everything", () => Buffer.alloc(0)],
    [
      "a byte of its last line",
      (content: Buffer) => content.with(content.length - 30, 0x21),
    ],
  ])(
    "stay broken permanently when %s was lost, and the daemon continues",
    async (_, change) => {
      const { folder, audit } = await openTestAudit();
      await recordMany(audit, 5);
      await audit.close();
      const [name] = await auditFiles(folder);
      await tamper(folder, name!, change);
      const again = await openTestAudit({ folder });
      await recordMany(again.audit, 3, 6);
      expect(again.log.lines).toMatchObject([{ level: "error" }]);
      expect(again.audit.latest(4).map(({ action }) => action)).toContain(
        "audit.damaged",
      );
      expect(await verifyAudit(folder)).toMatchObject({ state: "broken" });
    },
  );

  test("stay broken when their head was taken away", async () => {
    const { folder, audit } = await openTestAudit();
    await recordMany(audit, 5);
    await audit.close();
    await tamper(folder, "head.json", () => Buffer.alloc(0));
    const again = await openTestAudit({ folder });
    await recordMany(again.audit, 3, 6);
    expect(await verifyAudit(folder)).toMatchObject({ state: "broken" });
  });
});
