import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Snapshot } from "../src/contract.ts";
import { forgeFileList, forgeManifest } from "./archive/forge.ts";
import { look, startRealBackup } from "./support/real-backup.ts";

const run = promisify(execFile);

/** Digests of all files below a folder. */
async function digestsIn(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name);
    if (!(await lstat(path)).isFile()) continue;
    const hash = createHash("sha256").update(await readFile(path));
    found[name] = hash.digest("hex");
  }
  return found;
}

test("a repository is one again after a restore, also when all its refs are packed", async () => {
  await using bench = await startRealBackup();
  const repository = join(bench.agents, "repository");
  await mkdir(repository, { recursive: true });
  const git = async (...args: string[]) =>
    (await run("git", ["-C", repository, ...args])).stdout;
  await git("init", "-q", "-b", "main");
  await writeFile(join(repository, "run.sh"), "exit 0\n");
  await chmod(join(repository, "run.sh"), 0o755);
  await symlink("run.sh", join(repository, "start"));
  await git("add", ".");
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
  await git(...who, "commit", "-q", "-m", "One");
  await git("gc", "-q");
  const before = await look(repository);
  const { id, leftOut } = await bench.now();
  expect(leftOut).toBe(0);
  await rm(repository, { recursive: true });
  await mkdir(join(repository, "other"), { recursive: true });
  await bench.restore(id);
  expect(await look(repository)).toEqual(before);
  expect(await git("status", "--porcelain")).toBe("");
  expect(await git("log", "--format=%s")).toBe("One\n");
});

/** Where `git lfs` keeps what a pointer stands for. */
function objectOf(lfs: string, pointer: string): string {
  const [, digest = ""] = /^oid sha256:([0-9a-f]{64})$/m.exec(pointer) ?? [];
  const folders = [digest.slice(0, 2), digest.slice(2, 4)];
  return join(lfs, "objects", ...folders, digest);
}

test(
  "a repository with packs, loose objects, worktrees and objects of LFS is the same byte for byte, and git finds nothing wrong",
  { tags: "thorough" },
  async () => {
    await using bench = await startRealBackup();
    const repository = join(bench.agents, "repository");
    const tree = join(bench.agents, "tree");
    await mkdir(join(repository, "deep"), { recursive: true });
    const gitIn = async (folder: string, ...args: string[]) => {
      const who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
      return (await run("git", ["-C", folder, ...who, ...args])).stdout;
    };
    const git = (...args: string[]) => gitIn(repository, ...args);
    const commit = async (name: string, content: string | Buffer) => {
      await writeFile(join(repository, name), content);
      await git("add", ".");
      await git("commit", "-q", "-m", name);
    };
    await git("init", "-q", "-b", "main");
    await symlink("../run.sh", join(repository, "deep", "start"));
    await symlink("nowhere", join(repository, "dangling"));
    await commit("run.sh", "exit 0\n");
    await chmod(join(repository, "run.sh"), 0o755);
    await commit(".gitattributes", "*.bin filter=lfs -text\n");
    // As `git lfs` leaves them: a pointer in the tree, and its content below `.git/lfs`.
    const lfs = join(repository, ".git/lfs");
    await mkdir(join(lfs, "tmp"), { recursive: true });
    for (const size of [0, 12_345, 5_000_000]) {
      const content = randomBytes(size);
      const digest = createHash("sha256").update(content).digest("hex");
      const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${digest}\nsize ${size}\n`;
      const object = objectOf(lfs, pointer);
      await mkdir(dirname(object), { recursive: true });
      await writeFile(object, content, { mode: 0o444 });
      await commit(`${size}.bin`, pointer);
    }
    for (let number = 0; number < 20; number++)
      await commit(`deep/${number}`, randomBytes(20_000));
    await git("tag", "-a", "v1", "-m", "One");
    await git("gc", "-q");
    await commit("loose", "loose");
    await git("stash", "list");
    await git("worktree", "add", "-q", "-b", "other", tree);
    await writeFile(join(tree, "change"), "not committed");
    await writeFile(join(repository, "untracked"), "untracked");

    const seen = async () => ({
      repository: await look(repository),
      tree: await look(tree),
      bytes: [await digestsIn(repository), await digestsIn(tree)],
      fsck: await git("fsck", "--full", "--strict"),
      refs: await git("for-each-ref"),
      worktrees: await git("worktree", "list", "--porcelain"),
      status: [
        await git("--no-optional-locks", "status", "--porcelain"),
        await gitIn(tree, "--no-optional-locks", "status", "--porcelain"),
      ],
    });
    // Git keeps times and inodes of files in its index, which it brings up to date when it looks.
    const before = await seen();
    const { id, leftOut } = await bench.now();
    expect(leftOut).toBe(0);
    await rm(join(repository, ".git", "objects"), { recursive: true });
    await rm(tree, { recursive: true });
    await rm(lfs, { recursive: true });
    await bench.restore(id);
    expect(await seen()).toEqual(before);
    for (const size of [0, 12_345, 5_000_000]) {
      const pointer = await git("show", `HEAD:${size}.bin`);
      const content = await readFile(objectOf(lfs, pointer));
      const digest = createHash("sha256").update(content).digest("hex");
      expect(pointer).toContain(`oid sha256:${digest}\nsize ${size}\n`);
    }
    await commit("goes-on", "after the restore");
    expect(await git("fsck", "--full", "--strict")).toBe("");
  },
);

test("links, empty folders and permissions come back, and are counted", async () => {
  await using bench = await startRealBackup();
  const { agents } = bench;
  await mkdir(join(agents, "a/empty"), { recursive: true });
  await chmod(join(agents, "a"), 0o750);
  await chmod(join(agents, "a/empty"), 0o711);
  await writeFile(join(agents, "a/file"), "text", { mode: 0o440 });
  await symlink("../a/file", join(agents, "a/link"));
  await symlink("nowhere", join(agents, "dangling"));
  const before = await look(agents);
  const { id } = await bench.now();
  await rm(join(agents, "a"), { recursive: true });
  await rm(join(agents, "dangling"));
  await symlink("elsewhere", join(agents, "dangling"));
  await symlink("dangling", join(agents, "later"));
  const { parts, unsaved } = await bench.preview(id);
  expect(unsaved).toBe(0);
  expect(parts).toMatchObject([
    { name: "agents", added: 2, changed: 1, left: 0, removed: 1 },
  ]);
  const later = await look(agents);
  const safety = await bench.restore(id);
  expect(await look(agents)).toEqual(before);
  await bench.restore(safety);
  expect(await look(agents)).toEqual(later);
  // Restoring a part adds its files and leaves the rest.
  await bench.restore(id, "agents");
  expect(await look(agents)).toEqual({ ...later, ...before });
});

test("what no snapshot holds stays where it is, and is counted", async () => {
  await using bench = await startRealBackup();
  const { agents } = bench;
  await mkdir(agents, { recursive: true });
  await writeFile(join(agents, "file"), "old");
  await writeFile(join(agents, "Same"), "one");
  const { id } = await bench.now();
  const hosts = "/etc/hostname";
  await writeFile(join(agents, "file"), "new");
  await mkdir(join(agents, "deep/er"), { recursive: true });
  await run("mkfifo", [join(agents, "deep/er/pipe")]);
  await symlink(hosts, join(agents, "deep/outside"));
  await symlink("../../config.json", join(agents, "up"));
  await writeFile(join(agents, "back\\slash"), "text");
  await mkdir(join(agents, "folder\\"));
  await writeFile(join(agents, "same"), "two");
  await writeFile(join(agents, "gone"), "text");
  const { parts, unsaved } = await bench.preview(id);
  expect(unsaved).toBe(6);
  expect(parts).toMatchObject([
    { name: "agents", added: 0, changed: 1, left: 1, removed: 1 },
  ]);
  expect((await bench.preview(id, "agents")).unsaved).toBe(6);
  await bench.restore(id);
  expect(Object.keys(await look(agents))).toEqual([
    ...["Same", "back\\slash", "deep", "deep/er", "deep/er/pipe"],
    ...["deep/outside", "file", "folder\\", "same", "up"],
  ]);
  expect((await lstat(join(agents, "deep/er/pipe"))).isFIFO()).toBe(true);
  expect(await readlink(join(agents, "deep/outside"))).toBe(hosts);
  expect(await readFile(join(agents, "file"), "utf8")).toBe("old");
  expect((await bench.now()).leftOut).toBe(6);
});

test("where the snapshot has something itself, that is what is there then", async () => {
  await using bench = await startRealBackup();
  const { agents } = bench;
  await mkdir(join(agents, "a"), { recursive: true });
  await mkdir(join(agents, "b"));
  for (const name of ["a/file", "b/file", "c"])
    await writeFile(join(agents, name), "text");
  const { id } = await bench.now();
  const before = await look(agents);
  await rm(agents, { recursive: true });
  await mkdir(join(agents, "c"), { recursive: true });
  await run("mkfifo", [join(agents, "a")]);
  await symlink("/etc", join(agents, "b"));
  await run("mkfifo", [join(agents, "c/pipe")]);
  const { parts, unsaved } = await bench.preview(id);
  expect(unsaved).toBe(0);
  expect(parts).toMatchObject([
    { name: "agents", added: 3, changed: 0, left: 0, removed: 3 },
  ]);
  await bench.restore(id);
  expect(await look(agents)).toEqual(before);
});

test("a conversation that has another name elsewhere stays at a restore", async () => {
  await using bench = await startRealBackup({ includeTranscripts: false });
  const { agents } = bench;
  await mkdir(join(agents, "transcripts"), { recursive: true });
  await writeFile(join(agents, "settings.json"), "{}");
  const { id } = await bench.now();
  const one = join(agents, "transcripts/one.jsonl");
  await writeFile(one, "text");
  for (const name of ["transcripts/two.jsonl", "three"])
    await link(one, join(agents, name));
  await link(one, join(bench.kernel.home, "elsewhere"));
  await symlink("one.jsonl", join(agents, "transcripts/newest"));
  await bench.restore(id);
  expect(Object.keys(await look(agents))).toEqual([
    ...["settings.json", "transcripts", "transcripts/newest"],
    ...["transcripts/one.jsonl", "transcripts/two.jsonl"],
  ]);
  expect(await readFile(one, "utf8")).toBe("text");
});

test("a snapshot of the first format restores, and links and empty folders stay", async () => {
  await using bench = await startRealBackup();
  const { agents } = bench;
  await mkdir(agents, { recursive: true });
  await chmod(agents, 0o700);
  await writeFile(join(agents, "file"), "old");
  const { id, path } = await bench.now();
  await forgeManifest(path, (manifest) => ({ ...manifest, format: 1 }));
  await rm(join(path, "verification.json"));
  await symlink("file", join(agents, "link"));
  await mkdir(join(agents, "empty"));
  await writeFile(join(agents, "file"), "new");
  expect(await bench.preview(id)).toMatchObject({
    unsaved: 2,
    parts: [{ name: "agents", changed: 1, left: 1, removed: 0 }],
  });
  await bench.restore(id);
  expect(Object.keys(await look(agents))).toEqual(["empty", "file", "link"]);
  expect(await readFile(join(agents, "file"), "utf8")).toBe("old");
});

test("a list with links that lead elsewhere, or with something below one, is refused", async () => {
  await using bench = await startRealBackup();
  const { kernel } = bench;
  const { id, path } = await bench.now();
  const place = { plugin: "agents" };
  const empty = {
    ...{ ...place, mode: 0o600, size: 0, pieces: [] },
    sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  };
  const to = (from: string, link: string) => ({ ...place, path: from, link });
  const at = (from: string) => ({ ...place, path: from, folder: 0o700 });
  const lists: object[][] = [
    [to("a", "/etc")],
    [to("a", "../b")],
    [to("a", "b/../../c")],
    [to("a", "C:\\x")],
    [to("a", "")],
    [{ ...to("a", "b"), mode: 0o777 }],
    [to("../a", "b")],
    [to("a", "b"), { ...empty, path: "a/c" }],
    [{ ...empty, path: "a/c" }, to("a", "b")],
    [to("A", "b"), { ...empty, path: "a/c" }],
    [to("a", "b"), at("a/c")],
    [at("a"), to("a", "b")],
    [to("a", "b"), to("a/c", "d")],
    [to("a", "b"), to("a", "b")],
    [at("a"), at("A")],
    [{ ...at("a"), folder: 0o4777 }],
    [at("..")],
  ];
  for (const list of lists) {
    await forgeFileList(path, list, (files) => {
      files.count = list.filter((line) => "size" in line).length;
      files.bytes = 0;
      files.byPlugin = [{ plugin: "agents", files: files.count, bytes: 0 }];
    });
    for (const preview of [false, true])
      expect(
        await kernel.api.post("/api/backup/restore", { id, preview }),
        JSON.stringify(list),
      ).toMatchObject({
        status: 400,
        body: { code: "BACKUP_SNAPSHOT_INVALID" },
      });
    await rm(join(path, "verification.json"), { force: true });
  }
});

test("a later format is refused with both formats named", async () => {
  await using bench = await startRealBackup();
  const { path } = await bench.now();
  await forgeManifest(path, (manifest) => ({ ...manifest, format: 3 }));
  const { body } = await bench.kernel.api.get<{ items: Snapshot[] }>(
    "/api/backup/snapshots",
  );
  expect(body.items[0]?.problem).toMatchObject({
    code: "BACKUP_SNAPSHOT_TOO_NEW",
    message: expect.stringMatching(/format 3.*up to 2/) as string,
  });
});
