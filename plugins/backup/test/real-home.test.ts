import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestKernel, type TestKernel } from "@gantry/plugin-testing";
import { expect, test, vi } from "vitest";
import { RestoreEnded, type BackupState } from "../src/contract.ts";
import plugin from "../src/index.ts";
import type { NowAnswer } from "../src/routes/inputs.ts";
import { createNotesPlugin, type NotesPlugin } from "./support/notes-plugin.ts";

/** A daemon with a backup of its own home, which holds three notes and two files. */
async function start(): Promise<
  AsyncDisposable & {
    kernel: TestKernel;
    notes: NotesPlugin;
    state(): Promise<BackupState>;
    now(body?: object): Promise<NowAnswer>;
    restore(
      body: object,
    ): Promise<{ status: number; body: Record<string, unknown> }>;
  }
> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-backup-"));
  const notes = createNotesPlugin();
  const kernel = await startTestKernel([notes.plugin, plugin], {
    settings: { backup: { passphraseWork: 10 } },
  });
  const { api } = kernel;
  const set = { folder, everyMinutes: 43_200 };
  const { status } = await api.put("/api/backup", set);
  expect(status).toBe(200);
  await notes.add("a", "Same");
  await notes.add("b", "Before");
  await notes.add("c", "Removed later");
  await notes.write("deep/same", "same");
  await notes.write("grows", "one");
  return {
    ...{ kernel, notes },
    state: async () => (await api.get<BackupState>("/api/backup")).body,
    async now(body = {}) {
      const answer = await api.post<NowAnswer>("/api/backup/now", body);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body;
    },
    restore: (body) => api.post("/api/backup/restore", body),
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Changes, adds and removes something of each kind. */
async function change(notes: NotesPlugin): Promise<void> {
  await notes.rename("b", "After");
  await notes.remove("c");
  await notes.add("d", "Added later");
  await notes.write("grows", "one\ntwo");
  await notes.write("new", "new");
}

const BEFORE = { a: "Same", b: "Before", c: "Removed later" };
const AFTER = { a: "Same", b: "After", d: "Added later" };

test("a snapshot is proven by a daemon that starts on a copy, which changes nothing", async () => {
  await using bench = await start();
  const { kernel, notes } = bench;
  const { snapshot, verified } = await bench.now({ verify: true });
  expect(verified).toMatchObject({ ok: true, plugins: 2, files: 2 });
  expect(snapshot.parts).toContainEqual(
    expect.objectContaining({ name: "notes:note", records: 3 }),
  );
  expect(await notes.titles()).toEqual(BEFORE);
  expect(await readdir(join(kernel.home, "restore"))).toEqual([]);
  expect((await bench.state()).snapshots).toBe(1);
});

test("a plugin that cannot start on the copy is named", async () => {
  await using bench = await start();
  const { kernel, notes } = bench;
  const { id } = (await bench.now()).snapshot;
  notes.onSetup = (ctx) => {
    if (ctx.home !== kernel.home) throw new Error("The notes are odd.");
  };
  const { status, body } = await kernel.api.post<Record<string, unknown>>(
    "/api/backup/now",
    { id },
  );
  expect({ status, code: body["code"] }).toEqual({
    status: 502,
    code: "BACKUP_REHEARSAL_FAILED",
  });
  expect(body["detail"]).toContain('the plugin "notes" is failed');
  expect(body["detail"]).toContain("The notes are odd.");
});

test("a whole restore brings the daemon back as it was, and back again", async () => {
  await using bench = await start();
  const { kernel, notes } = bench;
  const { id } = (await bench.now()).snapshot;
  await kernel.clock.advance(1000);
  await change(notes);
  const replaced = kernel.replaced();
  const answer = await bench.restore({ id, keepsSessions: true });
  expect(answer).toMatchObject({
    status: 200,
    body: { ok: true, restarts: true },
  });
  await replaced;
  expect(await notes.titles()).toEqual(BEFORE);
  expect(await notes.read("deep/same")).toBe("same");
  expect(await notes.read("grows")).toBe("one");
  expect(await notes.read("new")).toBeUndefined();
  const { safetySnapshotId } = answer.body;
  const { lastRestore, snapshots, problem } = await bench.state();
  expect({ snapshots, problem }).toEqual({ snapshots: 2, problem: null });
  expect(lastRestore).toMatchObject({
    ...{ snapshotId: id, only: null, safetySnapshotId, failure: null },
  });
  const { body } = await kernel.api.get<{ items: { type: string }[] }>(
    "/api/events/log",
    { limit: 500 },
  );
  expect(
    body.items.filter(({ type }) => type === RestoreEnded.type),
  ).toHaveLength(1);

  const again = kernel.replaced();
  await bench.restore({ id: safetySnapshotId as string, keepsSessions: true });
  await again;
  expect(await notes.titles()).toEqual(AFTER);
  expect(await notes.read("new")).toBe("new");
});

test("what is acknowledged during a restore is in its safety snapshot", async () => {
  await using bench = await start();
  const { kernel, notes } = bench;
  const { id } = (await bench.now()).snapshot;
  await kernel.clock.advance(1000);
  const acknowledged: string[] = [];
  /** Writes one note after the other until that is refused. */
  async function keepWriting(): Promise<unknown> {
    for (let at = 0; ; at++) {
      const note = `while-${String(at).padStart(6, "0")}`;
      try {
        await notes.add(note, note);
      } catch (error) {
        return error;
      }
      acknowledged.push(note);
    }
  }
  const replaced = kernel.replaced();
  const refusal = keepWriting();
  const { body } = await bench.restore({ id, keepsSessions: true });
  expect(await refusal).toMatchObject({ code: "PLUGIN_STOPPED" });
  await replaced;
  expect(await notes.titles()).toEqual(BEFORE);
  const again = kernel.replaced();
  const undo = { id: body["safetySnapshotId"], keepsSessions: true };
  await bench.restore(undo);
  await again;
  expect(acknowledged.length).toBeGreaterThan(0);
  for (const note of acknowledged)
    expect(await notes.has(note), note).toBe(true);
});

test("how the backup is made stays as it is, whatever the snapshot knew", async () => {
  await using bench = await start();
  const { kernel } = bench;
  const { id } = (await bench.now()).snapshot;
  await kernel.clock.advance(1000);
  await kernel.api.put("/api/backup", {
    ...{ passphrase: "correct horse", keepDays: 99, everyMinutes: 1440 },
  });
  const { verifiedAt } = (await bench.now({ id })).snapshot;
  const { settings } = await bench.state();
  const replaced = kernel.replaced();
  expect((await bench.restore({ id, keepsSessions: true })).status).toBe(200);
  await replaced;
  expect(await bench.state()).toMatchObject({
    settings,
    isEncrypted: true,
    hasKey: true,
    lastVerifiedAt: verifiedAt,
  });
});

test("browsers have to pair again unless it was asked to keep them", async () => {
  await using bench = await start();
  const { id } = (await bench.now()).snapshot;
  const replaced = bench.kernel.replaced();
  expect((await bench.restore({ id })).status).toBe(200);
  await replaced;
  expect((await bench.kernel.api.get("/api/backup")).status).toBe(401);
});

test("parts are merged while the daemon runs on", async () => {
  await using bench = await start();
  const { kernel, notes } = bench;
  const { id } = (await bench.now()).snapshot;
  await change(notes);
  const answer = await bench.restore({ id, only: "notes" });
  expect(answer).toMatchObject({
    status: 200,
    body: { ok: true, restarts: false },
  });
  await kernel.events.first(RestoreEnded);
  expect(await notes.titles()).toEqual({ ...AFTER, ...BEFORE });
  expect(await notes.read("grows")).toBe("one");
  expect(await notes.read("new")).toBe("new");
  expect((await bench.state()).lastRestore).toMatchObject({
    ...{ snapshotId: id, only: ["notes"], failure: null },
  });
});

test("a merge that was taken back is no success", async () => {
  await using bench = await start();
  const { kernel, notes } = bench;
  const { id } = (await bench.now()).snapshot;
  await change(notes);
  const { engine } = kernel.kernel.foundation.core;
  vi.spyOn(engine, "rewrite").mockImplementationOnce((work) =>
    engine.rewrite(async (write) => {
      await work(write);
      throw new Error("The disk does not answer.");
    }),
  );
  const answer = await bench.restore({ id, only: "notes" });
  kernel.expectFault(/could not be replaced/);
  expect(answer).toMatchObject({
    status: 500,
    body: {
      code: "BACKUP_RESTORE_FAILED",
      detail: "The disk does not answer. All is as it was before.",
    },
  });
  expect(await notes.titles()).toEqual(AFTER);
  expect(await notes.read("grows")).not.toBe("one");
  expect(kernel.events.all(RestoreEnded)).toMatchObject([
    { data: { only: ["notes"], failure: "The disk does not answer." } },
  ]);
  // The snapshot itself is as good as before.
  expect((await bench.restore({ id, only: "notes" })).status).toBe(200);
});

test("a merge of which it is not known what the disk keeps is no success, and the next start completes it", async () => {
  await using bench = await start();
  const { kernel, notes } = bench;
  const { id } = (await bench.now()).snapshot;
  await change(notes);
  const { engine } = kernel.kernel.foundation.core;
  const { rewrite } = engine;
  vi.spyOn(engine, "rewrite").mockImplementationOnce(async (work) => {
    await rewrite(work);
    const fault = new Error("Not known whether it is on disk.");
    throw Object.assign(fault, { code: "STORE_UNSETTLED" });
  });
  const answer = await bench.restore({ id, only: "notes" });
  kernel.expectFault(/Records not merged/);
  expect(answer).toMatchObject({
    status: 503,
    body: { code: "BACKUP_RESTORE_UNFINISHED" },
  });
  await kernel.restart();
  expect(await notes.titles()).toEqual({ ...AFTER, ...BEFORE });
  expect((await bench.state()).lastRestore).toMatchObject({
    snapshotId: id,
    failure: null,
  });
});

test("an encrypted snapshot is restored with what only it may hold", async () => {
  await using bench = await start();
  const { kernel, notes } = bench;
  await kernel.api.put("/api/backup", {
    passphrase: "correct horse",
    includeSecrets: true,
  });
  const { snapshot, verified } = await bench.now({ verify: true });
  expect(snapshot).toMatchObject({ isEncrypted: true, hasSecrets: true });
  expect(verified).not.toBeNull();
  await change(notes);
  const replaced = kernel.replaced();
  const { id } = snapshot;
  await bench.restore({
    ...{ id, passphrase: "correct horse", keepsSessions: true },
  });
  await replaced;
  expect(await notes.titles()).toEqual(BEFORE);
  expect(await bench.state()).toMatchObject({
    isEncrypted: true,
    hasKey: true,
  });
});
