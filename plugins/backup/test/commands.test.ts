import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createKey } from "../src/archive/backup-key.ts";
import { formatBytes, formatTime } from "../src/commands/format.ts";
import type { RestoreOutcome } from "../src/commands/restore-outcome.ts";
import type { Snapshot } from "../src/contract.ts";
import type { NowAnswer } from "../src/routes/inputs.ts";
import { DEFAULT_SETTINGS } from "../src/settings/backup-record.ts";
import { putRecord } from "./support/backup-bench.ts";
import { startCommands, type CommandBench } from "./support/command-bench.ts";

const PASSPHRASE = "correct horse battery";
const SNIPPETS = "snippets:snippet";

/** A home with a snippet and a file, and a snapshot of it. */
async function makeOne(bench: CommandBench): Promise<Snapshot> {
  await bench.save({});
  putRecord(bench.home, SNIPPETS, "snp_a", { title: "Before" });
  await mkdir(join(bench.home.data, "agents"), { recursive: true });
  await writeFile(join(bench.home.data, "agents/one"), "one");
  return (await bench.json<NowAnswer>("now")).snapshot;
}

const titleOf = ({ home }: CommandBench) =>
  (
    JSON.parse(home.entries.get(`${SNIPPETS}:snp_a`) ?? "null") as {
      data: { title: string };
    } | null
  )?.data.title;

describe("with the daemon stopped", () => {
  test("a snapshot is made, verified and listed", async () => {
    await using bench = await startCommands();
    expect(await bench.run("list", { folder: bench.folder })).toEqual([
      "There is no snapshot.",
    ]);
    const made = await makeOne(bench);
    expect(made).toMatchObject({ reason: "manual", records: 1, files: 1 });
    const [line, ...more] = await bench.run("verify");
    expect(line).toContain(made.id);
    expect(more).toEqual([
      "Verified: all of it is as it was written (1 record, 1 file), and a daemon starts on it with 1 plugin.",
    ]);
    const [listed, ...others] = await bench.run("list");
    expect(others).toEqual([]);
    expect(listed).toContain(formatTime(made.createdAt));
    expect(listed).toContain("1 record, 1 file");
    expect(listed).toContain("proven ");
    const { items } = await bench.json<{ items: Snapshot[] }>("list");
    expect(items).toMatchObject([{ id: made.id }]);
    expect(items[0]?.verifiedAt).not.toBeNull();
  });

  test("without a known folder it says so", async () => {
    await using bench = await startCommands();
    for (const name of ["now", "list", "verify", "restore"])
      await expect(bench.run(name)).rejects.toThrow(/name it with --folder/);
  });

  test("a restore tells first, and does it with --yes", async () => {
    await using bench = await startCommands();
    const { id } = await makeOne(bench);
    putRecord(bench.home, SNIPPETS, "snp_a", { title: "After" });
    putRecord(bench.home, SNIPPETS, "snp_b", { title: "New" });
    await symlink("/etc", join(bench.home.data, "agents/elsewhere"));
    expect(await bench.run("restore")).toEqual([
      expect.stringContaining(id),
      "  agents: 1 item left",
      "  snippets: 1 item changed, 1 item removed",
      expect.stringMatching(
        /^ {2}1 item that the snapshot cannot hold .*: left$/,
      ),
      `Nothing was changed. Add --yes to restore ${id}.`,
    ]);
    expect(titleOf(bench)).toBe("After");

    const outcome = await bench.json<{ safetySnapshotId: string }>("restore", {
      id,
      yes: true,
    });
    expect(outcome).toMatchObject({ ok: true, restarts: false });
    expect(titleOf(bench)).toBe("Before");
    expect(bench.home.entries.has(`${SNIPPETS}:snp_b`)).toBe(false);

    const back = { id: outcome.safetySnapshotId, yes: true };
    expect((await bench.run("restore", back)).slice(1, 5)).toEqual([
      "Checking and unpacking …",
      "Making a snapshot of what is there …",
      "Putting it in place …",
      "It is restored.",
    ]);
    expect(titleOf(bench)).toBe("After");
  });

  test("parts are merged", async () => {
    await using bench = await startCommands();
    await makeOne(bench);
    putRecord(bench.home, SNIPPETS, "snp_a", { title: "After" });
    putRecord(bench.home, SNIPPETS, "snp_b", { title: "New" });
    await bench.run("restore", { only: " snippets ,agents", yes: true });
    expect(titleOf(bench)).toBe("Before");
    expect(bench.home.entries.has(`${SNIPPETS}:snp_b`)).toBe(true);
    expect(bench.home.replacements).toMatchObject([
      { mode: "merge", note: { only: ["snippets", "agents"] } },
    ]);
    await expect(
      bench.run("restore", { only: "kernel", yes: true }),
    ).rejects.toMatchObject({ code: "BACKUP_ONLY_UNKNOWN" });
  });

  test("a new machine gets all of the newest snapshot, without any question", async () => {
    await using old = await startCommands();
    old.home.entries.set(
      "backup:settings",
      JSON.stringify({ ...DEFAULT_SETTINGS, folder: "/gone", keepDays: 12 }),
    );
    await makeOne(old);
    await using bench = await startCommands();
    const lines = await bench.run("restore", { folder: old.folder });
    expect(lines.slice(1)).toEqual([
      "Checking and unpacking …",
      "Putting it in place …",
      "It is restored.",
    ]);
    expect(titleOf(bench)).toBe("Before");
    expect(bench.home.replacements).toMatchObject([
      { mode: "replace", note: { safetySnapshotId: null } },
    ]);
    // Backups continue in the folder in which the snapshot was found.
    const settings = bench.home.entries.get("backup:settings") ?? "{}";
    expect(JSON.parse(settings)).toMatchObject({
      folder: old.folder,
      keepDays: 12,
    });
  });

  test("a home whose store cannot be opened is brought back, once the user says that it may go", async () => {
    await using bench = await startCommands();
    const { id } = await makeOne(bench);
    putRecord(bench.home, SNIPPETS, "snp_a", { title: "Damaged" });
    bench.home.readStore = () =>
      Promise.reject(new Error("The database is malformed."));
    expect(await bench.run("restore", { id })).toEqual([
      expect.stringContaining(id),
      "The store of this home cannot be read; all of it would be replaced.",
      `Nothing was changed. Add --yes to restore ${id}.`,
    ]);
    await expect(bench.run("restore", { id, yes: true })).rejects.toThrow(
      /--without-safety-snapshot.*malformed/,
    );
    expect(titleOf(bench)).toBe("Damaged");
    await bench.run("restore", {
      id,
      yes: true,
      "without-safety-snapshot": true,
    });
    expect(titleOf(bench)).toBe("Before");
  });

  test("a replacement that failed is an error", async () => {
    await using bench = await startCommands();
    const { id } = await makeOne(bench);
    bench.home.replace = () => Promise.resolve();
    bench.home.lastReplacement = () =>
      Promise.resolve({
        at: "2026-01-01T00:00:00.000Z",
        mode: "replace",
        note: { snapshotId: id },
        failure: "The disk is full.",
      });
    await expect(bench.run("restore", { id, yes: true })).rejects.toThrow(
      "The disk is full.",
    );
  });

  test("the passphrase is asked for, or read from a file, when it is needed", async () => {
    await using bench = await startCommands();
    const key = await createKey(bench.folder, PASSPHRASE, { workFactor: 10 });
    await bench.save({ recipient: key.recipient });
    putRecord(bench.home, SNIPPETS, "snp_a", { title: "Before" });
    const { snapshot } = await bench.json<NowAnswer>("now");
    expect(snapshot.isEncrypted).toBe(true);

    await expect(bench.run("verify")).rejects.toMatchObject({
      code: "BACKUP_PASSPHRASE_MISSING",
    });
    bench.typed = "wrong wrong wrong";
    await expect(bench.run("verify")).rejects.toMatchObject({
      code: "BACKUP_PASSPHRASE_WRONG",
    });
    expect(bench.questions).toBe(2);
    bench.typed = PASSPHRASE;
    expect((await bench.run("verify")).at(-1)).toMatch(/^Verified/);
    // Its key is known from then on.
    await bench.run("verify");
    expect(bench.questions).toBe(3);

    await rm(join(bench.home.data, "backup/keys"), { recursive: true });
    bench.typed = undefined;
    const file = await bench.passphraseFile(PASSPHRASE);
    const named = { "passphrase-file": file, yes: true };
    await bench.run("restore", named);
    expect(bench.questions).toBe(3);
    const empty = await bench.passphraseFile("");
    await expect(
      bench.run("verify", { "passphrase-file": empty }),
    ).rejects.toThrow(/no passphrase in it/);
  });
});

describe("with a daemon running", () => {
  test("its operations are called", async () => {
    await using bench = await startCommands();
    const snapshot = await makeOne(bench);
    const calls: [string, string, unknown][] = [];
    const preview: RestoreOutcome = {
      preview: { only: null, parts: [], unsaved: 2 },
    };
    bench.daemon = {
      url: "http://127.0.0.1:1",
      call(method, path, body) {
        calls.push([method, path, body]);
        if (method === "GET")
          return Promise.resolve({ items: [snapshot], nextCursor: null });
        if (path.endsWith("now"))
          return Promise.resolve({ snapshot, verified: null });
        return Promise.resolve(preview);
      },
    };
    expect(await bench.json("list")).toEqual({ items: [snapshot] });
    expect(await bench.json("now")).toEqual({ snapshot, verified: null });
    expect(await bench.run("restore", { only: "snippets" })).toEqual([
      expect.stringContaining(snapshot.id),
      expect.stringMatching(
        /^ {2}2 items that the snapshot cannot hold .*: left$/,
      ),
      `Nothing was changed. Add --yes to restore ${snapshot.id}.`,
    ]);
    expect(calls).toEqual([
      ["GET", "/api/backup/snapshots?limit=500", undefined],
      ["POST", "/api/backup/now", {}],
      ["GET", "/api/backup/snapshots?limit=500", undefined],
      [
        "POST",
        "/api/backup/restore",
        {
          id: snapshot.id,
          only: ["snippets"],
          passphrase: undefined,
          keepsSessions: false,
          preview: true,
        },
      ],
    ]);
    const { folder } = bench;
    for (const name of ["now", "verify", "restore"])
      await expect(bench.run(name, { folder })).rejects.toThrow(
        /leave --folder out/,
      );
  });
});

test("sizes are told as people read them", () => {
  const sizes = [0, 999, 1000, 1234, 99_950, 999_499, 1_234_567, 5e9, 7e15];
  expect(sizes.map(formatBytes)).toEqual([
    ...["0 B", "999 B", "1.0 kB", "1.2 kB", "100 kB", "999 kB"],
    ...["1.2 MB", "5.0 GB", "7000 TB"],
  ]);
});
