import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { startBackup } from "./support/backup-bench.ts";

const isRoot = process.getuid?.() === 0;

describe("settings", () => {
  test("nothing is backed up until a folder is chosen", async () => {
    await using bench = await startBackup({ hasFolder: false });
    expect(await bench.state()).toEqual({
      settings: {
        folder: null,
        everyMinutes: 60,
        keepDays: 30,
        keepsWeekly: true,
        includeTranscripts: true,
        includeSecrets: false,
      },
      isEncrypted: false,
      hasKey: false,
      job: null,
      snapshots: 0,
      otherHomes: [],
      totalBytes: 0,
      freeBytes: null,
      lastSnapshot: null,
      lastVerifiedAt: null,
      nextSnapshotAt: null,
      problem: null,
      lastRestore: null,
    });
    expect(await bench.list()).toEqual([]);
    for (const path of ["now", "reveal"])
      expect(
        await bench.kernel.api.post(`/api/backup/${path}`, {}),
      ).toMatchObject({
        status: 409,
        body: { code: "BACKUP_FOLDER_MISSING" },
      });
  });

  test("what is left out keeps its value, also through a restart", async () => {
    await using bench = await startBackup({ hasFolder: false });
    const { folder } = bench;
    const first = await bench.change({ folder, keepDays: 7 });
    expect(first).toMatchObject({
      status: 200,
      body: { settings: { folder, keepDays: 7, everyMinutes: 60 } },
    });
    const second = await bench.change({ keepsWeekly: false });
    expect(second.body.settings).toEqual({
      ...first.body.settings,
      keepsWeekly: false,
    });
    await bench.kernel.restart();
    expect((await bench.state()).settings).toEqual(second.body.settings);
    expect((await lstat(folder)).mode & 0o777).toBe(0o700);
  });

  test.each([
    [{ everyMinutes: 14 }],
    [{ everyMinutes: 43_201 }],
    [{ everyMinutes: 15.5 }],
    [{ everyMinutes: "60" }],
    [{ keepDays: 0 }],
    [{ keepDays: 3651 }],
    [{ keepsWeekly: 1 }],
    [{ folder: "" }],
    [{ folder: 7 }],
    [{ folder: `/${"x".repeat(4096)}` }],
    [{ passphrase: "seven77" }],
    [{ passphrase: "x".repeat(1025) }],
    [{ includeTranscripts: null }],
    [{ other: true }],
  ])("%j is refused", async (input) => {
    await using bench = await startBackup({ hasFolder: false });
    const before = await bench.state();
    expect(await bench.change(input)).toMatchObject({
      status: 400,
      body: { code: "INPUT_INVALID" },
    });
    expect(await bench.state()).toEqual(before);
  });

  test("the settings are there for the command line, which knows no store", async () => {
    await using bench = await startBackup();
    const copy = join(bench.kernel.home, "data/backup/settings.json");
    expect(JSON.parse(await readFile(copy, "utf8"))).toMatchObject({
      folder: bench.folder,
    });
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
  });
});

describe("the folder", () => {
  test("is refused where snapshots cannot be", async () => {
    await using bench = await startBackup({ hasFolder: false });
    const { home } = bench;
    const parent = dirname(bench.folder);
    const file = join(parent, "file");
    const link = join(parent, "link");
    const linked = join(parent, "linked");
    await writeFile(file, "");
    await mkdir(linked);
    await symlink("/etc", join(linked, "gantry-backup"));
    await symlink(parent, link);
    const refused: [string, RegExp][] = [
      ["relative/folder", /not an absolute path/],
      ["~/backups", /not an absolute path/],
      ["/", /root of the disk/],
      ["/etc", /belongs to the system/],
      ["/usr/local/backups", /belongs to the system/],
      ["/proc/1", /belongs to the system/],
      ["/proc/self", /symbolic link/],
      ["/dev", /belongs to the system/],
      ["/sys/kernel", /belongs to the system/],
      [`${parent}/../../../../../../etc/backups`, /belongs to the system/],
      [home.folder, /home of the daemon/],
      [home.data, /home of the daemon/],
      [join(home.folder, "backups"), /home of the daemon/],
      [join(home.data, "new"), /home of the daemon/],
      [file, /not a folder/],
      [join(file, "below"), /not a folder|cannot be opened/],
      [link, /symbolic link/],
      [linked, /symbolic link/],
      [join(parent, "not", "there"), /would be made in is not there/],
      [`${parent}/a\0b`, /not an absolute path/],
    ];
    const before = await readdir(parent);
    for (const [folder, reason] of refused) {
      const answer = await bench.change({ folder });
      expect(answer, folder).toMatchObject({
        status: 400,
        body: { code: "BACKUP_FOLDER_INVALID" },
      });
      expect(answer.body.detail, folder).toMatch(reason);
    }
    expect(await readdir(parent)).toEqual(before);
    expect((await bench.state()).settings.folder).toBeNull();
  });

  test("a link on the way to it is followed once and for all", async () => {
    await using bench = await startBackup({ hasFolder: false });
    const parent = dirname(bench.folder);
    await mkdir(join(parent, "disk"));
    await symlink(join(parent, "disk"), join(parent, "link"));
    const { body } = await bench.change({ folder: join(parent, "link/mine") });
    expect(body.settings.folder).toBe(join(parent, "disk/mine"));
  });

  test("a link on the way into the home is seen through", async () => {
    await using bench = await startBackup({ hasFolder: false });
    const link = join(dirname(bench.folder), "link");
    await symlink(bench.home.folder, link);
    expect(
      (await bench.change({ folder: join(link, "mine") })).body,
    ).toMatchObject({ code: "BACKUP_FOLDER_INVALID" });
    expect(await readdir(bench.home.folder)).toEqual(["data"]);
  });

  test("a home below the folder of the snapshots is seen", async () => {
    await using bench = await startBackup({ hasFolder: false });
    const folder = dirname(bench.folder);
    const place = join(folder, "gantry-backup");
    await symlink(bench.home.folder, place);
    expect((await bench.change({ folder })).body.code).toBe(
      "BACKUP_FOLDER_INVALID",
    );
  });

  test.skipIf(isRoot)("one that cannot be written is refused", async () => {
    await using bench = await startBackup({ hasFolder: false });
    await mkdir(bench.folder, { mode: 0o500 });
    const { body } = await bench.change({ folder: bench.folder });
    expect(body).toMatchObject({ code: "BACKUP_FOLDER_INVALID" });
    await chmod(bench.folder, 0o700);
  });

  test("one that is gone is a problem, and is not created again", async () => {
    await using bench = await startBackup();
    await bench.backUp();
    await rm(bench.folder, { recursive: true });
    const gone = { status: 503, body: { code: "BACKUP_FOLDER_UNAVAILABLE" } };
    expect(await bench.now()).toMatchObject(gone);
    expect(await bench.kernel.api.get("/api/backup/snapshots")).toMatchObject(
      gone,
    );
    const state = await bench.state();
    expect(state).toMatchObject({
      snapshots: 0,
      lastSnapshot: null,
      problem: { code: "BACKUP_FOLDER_UNAVAILABLE" },
    });
    expect(await readdir(dirname(bench.folder))).toEqual([]);
    // A disk that is not connected leaves an empty folder where it is mounted.
    await mkdir(bench.folder);
    expect(await bench.now()).toMatchObject(gone);
    expect(await readdir(bench.folder)).toEqual([]);
  });
});
