import { InboxItems, type NewInboxItem } from "@gantry/plugin-inbox/contract";
import { provideFake } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { startBackup } from "./support/backup-bench.ts";

/** An Inbox that keeps what it is given. */
function createInbox() {
  const items: NewInboxItem[] = [];
  const plugin = provideFake(InboxItems, {
    async add(item) {
      if (!items.some(({ key }) => key === item.key)) items.push(item);
      return { id: "inb_a" };
    },
    settle: () => Promise.resolve(),
  });
  return { items, plugin };
}

test("a verification that fails is a notice", async () => {
  const { items, plugin } = createInbox();
  await using bench = await startBackup({ beside: [plugin] });
  bench.home.rehearsed = [{ id: "backup", state: "failed", reason: "odd" }];
  await bench.now({ verify: true });
  expect(items).toMatchObject([
    {
      kind: "notice",
      title: "A snapshot is not proven",
      severity: "error",
      source: { type: "backup", id: "backup" },
    },
  ]);
  expect(items[0]?.body).toContain('the plugin "backup" is failed (odd)');
});

test("a passphrase that is missing or wrong is none", async () => {
  const { items, plugin } = createInbox();
  await using bench = await startBackup({ beside: [plugin] });
  await bench.change({ passphrase: "correct horse" });
  const { id } = (await bench.backUp()).snapshot;
  const answer = await bench.now({ id, passphrase: "wrong" });
  expect(answer.body.code).toBe("BACKUP_PASSPHRASE_WRONG");
  expect(items).toEqual([]);
  expect((await bench.state()).problem).toBeNull();
});

test("a restore that failed while the daemon was down is a notice, once", async () => {
  const { items, plugin } = createInbox();
  await using bench = await startBackup({ beside: [plugin] });
  const { id } = (await bench.backUp()).snapshot;
  bench.home.lastReplacement = () =>
    Promise.resolve({
      at: bench.kernel.clock.timestamp(),
      mode: "replace",
      note: { snapshotId: id, only: null, safetySnapshotId: null },
      failure: "The disk is full.",
    });
  await bench.kernel.restart();
  await expect.poll(() => items).toHaveLength(1);
  await bench.kernel.restart();
  expect(items).toMatchObject([
    { title: "A restore failed", severity: "error" },
  ]);
  expect(items[0]?.body).toContain("The disk is full.");
  expect((await bench.state()).lastRestore).toMatchObject({
    snapshotId: id,
    failure: "The disk is full.",
  });
});

test("what another plugin replaced is no restore", async () => {
  await using bench = await startBackup();
  bench.home.lastReplacement = () =>
    Promise.resolve({
      at: bench.kernel.clock.timestamp(),
      mode: "merge",
      note: { by: "another plugin" },
      failure: null,
    });
  await bench.restart();
  expect((await bench.state()).lastRestore).toBeNull();
  expect(await bench.logged("backup.restore-ended")).toEqual([]);
});
