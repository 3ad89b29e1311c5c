import { execFile } from "node:child_process";
import {
  chmod,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
  type FileHandle,
} from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { definePlugin } from "@gantry/plugin";
import { expect, test, vi } from "vitest";
import { startRealBackup } from "./support/real-backup.ts";

const run = promisify(execFile);
const GIB = 1024 ** 3;

/** Paths of all that is below a folder, byte by byte. */
async function bytesIn(folder: string): Promise<string[]> {
  const { stdout } = await run("find", [folder, "-mindepth", "1", "-print0"], {
    encoding: "latin1",
  });
  const start = folder.length + 1;
  const paths = stdout.split("\0").filter(Boolean);
  return paths.map((path) => path.slice(start)).sort();
}

/** A plugin `agents` with files, which writes once more when it stops for the last time. */
function createWriter(write: (folder: string) => Promise<void>) {
  let first: string | undefined;
  let isDone = false;
  return definePlugin({
    id: "agents",
    api: 1,
    summary: "Writes when it stops",
    mounts: [],
    async setup(ctx) {
      first ??= ctx.home;
      const folder = await ctx.folder();
      ctx.own(async () => {
        if (isDone || ctx.home !== first) return;
        isDone = true;
        await write(folder);
      });
    },
  });
}

test("conversations, links and pipes that come until a plugin has stopped stay, and after the undo too", async () => {
  const writer = createWriter(async (folder) => {
    const at = (name: string) => join(folder, "transcripts", name);
    await writeFile(at("late.jsonl"), "acknowledged");
    await writeFile(at("draft"), "renamed");
    await rename(at("draft"), at("early.jsonl"));
    await rm(at("gone.jsonl"));
    await symlink("/etc/hostname", at("outside"));
    await run("mkfifo", [at("pipe")]);
    await rm(at("was-file"));
    await mkdir(at("was-file"));
    await writeFile(at("was-file/one.jsonl"), "one");
  });
  await using bench = await startRealBackup({ includeTranscripts: false }, [
    writer,
  ]);
  const transcripts = join(bench.agents, "transcripts");
  await mkdir(transcripts, { recursive: true });
  await writeFile(join(bench.agents, "settings.json"), "{}");
  for (const name of ["early.jsonl", "gone.jsonl", "was-file"])
    await writeFile(join(transcripts, name), "early");
  const { id } = await bench.now(false);
  const safety = await bench.restore(id);
  for (const undoes of [false, true]) {
    if (undoes) await bench.restore(safety);
    expect((await readdir(transcripts, { recursive: true })).sort()).toEqual([
      ...["early.jsonl", "late.jsonl", "outside", "pipe", "was-file"],
      "was-file/one.jsonl",
    ]);
    const read = (name: string) => readFile(join(transcripts, name), "utf8");
    expect(await read("early.jsonl")).toBe("renamed");
    expect(await read("late.jsonl")).toBe("acknowledged");
    expect((await lstat(join(transcripts, "pipe"))).isFIFO()).toBe(true);
  }
});

test("names that are not UTF-8 stay byte for byte, are counted, and are noted as text", async () => {
  await using bench = await startRealBackup();
  const { agents } = bench;
  await mkdir(agents, { recursive: true });
  await writeFile(join(agents, "file"), "old");
  const { id } = await bench.now(false);
  const at = (name: string) => Buffer.from(`${agents}/${name}`, "latin1");
  await writeFile(at("caf\xe9"), "one");
  await writeFile(at("caf\xc3\xa9"), "well-formed");
  await mkdir(at("d\xff/e\xfe"), { recursive: true });
  await mkdir(at("d\xff/empty"));
  await writeFile(at("d\xff/e\xfe/plain"), "two");
  await symlink(Buffer.from([0xe9]), at("to"));
  const kept = ["caf\xe9", "d\xff", "d\xff/e\xfe", "d\xff/e\xfe/plain"];
  const all = [...kept, "d\xff/empty", "file", "to"].sort();
  const { unsaved, parts } = await bench.preview(id);
  expect(unsaved).toBe(4);
  expect(parts).toMatchObject([
    { name: "agents", added: 0, changed: 0, left: 1, removed: 1 },
  ]);
  const safety = await bench.restore(id);
  expect(await bytesIn(agents)).toEqual(all);
  await bench.restore(safety);
  expect(await bytesIn(agents)).toEqual([...all, "caf\xc3\xa9"].sort());
  expect(await readFile(at("d\xff/e\xfe/plain"), "utf8")).toBe("two");
  expect(await readlink(at("to"), "latin1")).toBe("\xe9");
  const { leftOut, path } = await bench.now(false);
  expect(leftOut).toBe(4);
  const manifest = await readFile(join(path, "manifest.json"), "utf8");
  expect(manifest).toContain('"agents/caf\ufffd"');
  expect(await readdir(join(bench.kernel.home, "restore"))).toEqual([
    "result.json",
  ]);
});

test("a file that is very large and next to empty stays, and is counted before", async () => {
  await using bench = await startRealBackup();
  const disk = join(bench.agents, "disk.img");
  await mkdir(bench.agents, { recursive: true });
  await writeFile(join(bench.agents, "file"), "old");
  await writeFile(disk, "x");
  await truncate(disk, 20 * GIB);
  const { id, leftOut } = await bench.now(false);
  expect(leftOut).toBe(1);
  expect(await bench.preview(id)).toMatchObject({
    unsaved: 1,
    parts: [{ name: "agents", left: 2, removed: 0 }],
  });
  const safety = await bench.restore(id);
  for (const undoes of [false, true]) {
    if (undoes) await bench.restore(safety);
    expect((await lstat(disk)).size).toBe(20 * GIB);
  }
});

test(
  "a file that only writing shows to be next to empty stays as well",
  { tags: "thorough" },
  async () => {
    await using bench = await startRealBackup();
    const disk = join(bench.agents, "disk.img");
    await mkdir(bench.agents, { recursive: true });
    await writeFile(join(bench.agents, "before"), "old");
    const { id } = await bench.now(false);
    // It takes room on the disk, and next to none in a snapshot.
    await writeFile(
      join(bench.agents, "allocated"),
      Buffer.alloc(100 * 1024 * 1024),
    );
    await writeFile(disk, "x");
    await truncate(disk, 17 * GIB);
    const safety = await bench.restore(id);
    expect(await bytesIn(bench.agents)).toEqual(["before", "disk.img"]);
    await bench.restore(safety);
    expect((await lstat(disk)).size).toBe(17 * GIB);
  },
);

test.skipIf(process.geteuid?.() === 0)(
  "a file that may not be read stays, and is counted before (not as root, who may read all)",
  async () => {
    await using bench = await startRealBackup();
    const locked = join(bench.agents, "locked");
    await mkdir(bench.agents, { recursive: true });
    await writeFile(join(bench.agents, "file"), "old");
    await writeFile(locked, "precious");
    await link(locked, join(bench.agents, "second"));
    await chmod(locked, 0);
    const { id, leftOut } = await bench.now(false);
    expect(leftOut).toBe(2);
    expect(await bench.preview(id)).toMatchObject({
      unsaved: 2,
      parts: [{ name: "agents", left: 1, removed: 0 }],
    });
    const safety = await bench.restore(id);
    for (const undoes of [false, true]) {
      if (undoes) await bench.restore(safety);
      expect(await bytesIn(bench.agents)).toEqual(["file", "locked", "second"]);
    }
    await chmod(locked, 0o600);
    expect(await readFile(locked, "utf8")).toBe("precious");
  },
);

test("a file that the disk cannot read stays, and after the undo too", async () => {
  await using bench = await startRealBackup();
  const bad = join(bench.agents, "bad");
  await mkdir(bench.agents, { recursive: true });
  await writeFile(join(bench.agents, "file"), "old");
  await writeFile(bad, "precious");
  await using handle = await open(bad);
  const { ino } = await handle.stat();
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  const { read } = prototype;
  const reading = vi
    .spyOn(prototype, "read")
    .mockImplementation(async function (this: FileHandle, ...args: unknown[]) {
      if ((await this.stat()).ino === ino)
        throw Object.assign(new Error("EIO: i/o error, read"), {
          code: "EIO",
          syscall: "read",
        });
      return await (Reflect.apply(read, this, args) as ReturnType<
        typeof this.read
      >);
    } as typeof read);
  const { id, leftOut } = await bench.now(false);
  expect(leftOut).toBe(1);
  const safety = await bench.restore(id);
  for (const undoes of [false, true]) {
    if (undoes) await bench.restore(safety);
    expect(await bytesIn(bench.agents)).toEqual(["bad", "file"]);
  }
  reading.mockRestore();
  expect(await readFile(bad, "utf8")).toBe("precious");
});

test("a folder that cannot be read ends a restore before anything is replaced", async () => {
  await using bench = await startRealBackup();
  const { agents, kernel } = bench;
  const file = join(agents, "file");
  await mkdir(agents, { recursive: true });
  await writeFile(file, "old");
  const { id } = await bench.now(false);
  await writeFile(file, "new");
  // Its path is longer than any that the system takes, also of root.
  const deep = new Array<string>(12).fill("a".repeat(200)).join("/");
  const inner = join(kernel.home, "inner");
  const outer = join(agents, deep, "inner");
  await mkdir(join(inner, deep), { recursive: true });
  await writeFile(join(inner, deep, "file"), "precious");
  await mkdir(join(agents, deep), { recursive: true });
  await rename(inner, outer);
  const { leftOut } = await bench.now(false);
  expect(leftOut).toBe(1);
  expect((await bench.preview(id)).unsaved).toBe(1);
  kernel.expectFault(/BACKUP_RESTORE_FAILED/);
  const answer = await kernel.api.post("/api/backup/restore", {
    id,
    keepsSessions: true,
  });
  expect(answer).toMatchObject({
    status: 500,
    body: {
      code: "BACKUP_RESTORE_FAILED",
      detail: expect.stringMatching(
        /inner.*ENAMETOOLONG.*as it was/s,
      ) as string,
    },
  });
  expect(await readFile(file, "utf8")).toBe("new");
  await rename(outer, inner);
  expect(await readFile(join(inner, deep, "file"), "utf8")).toBe("precious");
});

test("a part that has a file where a folder is, or a folder where a file is, is refused with the path", async () => {
  await using bench = await startRealBackup();
  const { agents, kernel } = bench;
  await mkdir(join(agents, "folder"), { recursive: true });
  await mkdir(join(agents, "empty"));
  await writeFile(join(agents, "file"), "text");
  await writeFile(join(agents, "folder/one"), "text");
  await symlink("file", join(agents, "link"));
  const { id } = await bench.now(false);
  const cases: [string, string, (path: string) => Promise<unknown>][] = [
    ["file", "a folder", (path) => mkdir(path)],
    ["link", "a folder", (path) => mkdir(path)],
    ["folder", "a file", (path) => writeFile(path, "text")],
    ["folder", "a file", (path) => symlink("/etc", path)],
    ["empty", "a file", (path) => run("mkfifo", [path])],
  ];
  for (const [name, present, make] of cases) {
    const path = join(agents, name);
    await rename(path, join(agents, "away"));
    await make(path);
    for (const preview of [true, false]) {
      const body = { id, only: "agents", preview };
      const answer = await kernel.api.post<{ detail: string }>(
        "/api/backup/restore",
        body,
      );
      expect(answer).toMatchObject({
        status: 409,
        body: { code: "BACKUP_PATH_TAKEN" },
      });
      expect(answer.body.detail).toContain(`agents/${name}, `);
      expect(answer.body.detail).toContain(`there is ${present} in its place`);
    }
    expect(
      await readFile(join(agents, "away/one"), "utf8").catch(() => ""),
    ).toBe(name === "folder" ? "text" : "");
    await rm(path, { recursive: true });
    await rename(join(agents, "away"), path);
  }
  await bench.restore(id, "agents");
});

test("the undo of a restore has the conversations that it replaces, also if none are to be backed up", async () => {
  await using bench = await startRealBackup();
  const transcripts = join(bench.agents, "transcripts");
  await mkdir(transcripts, { recursive: true });
  const one = join(transcripts, "one.jsonl");
  const two = join(transcripts, "two.jsonl");
  await writeFile(one, "old");
  const { id } = await bench.now(false);
  await bench.kernel.api.put("/api/backup", { includeTranscripts: false });
  await writeFile(one, "old and new");
  await writeFile(two, "two");
  const safety = await bench.restore(id);
  expect(await readFile(one, "utf8")).toBe("old");
  await bench.restore(safety);
  expect(await readFile(one, "utf8")).toBe("old and new");
  expect(await readFile(two, "utf8")).toBe("two");
  const { hasTranscripts } = await bench.now(false);
  expect(hasTranscripts).toBe(false);
});
