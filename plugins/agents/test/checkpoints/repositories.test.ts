import { existsSync } from "node:fs";
import {
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createHostileRepository,
  createRepository,
  plainGit,
  writeFiles,
} from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { TurnsView } from "../help/turns-view.ts";

/** All that is below a folder, with contents and times, but for some folders. */
async function readAll(folder: string): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  const entries = await readdir(folder, {
    recursive: true,
    withFileTypes: true,
  });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs, mode } = await stat(path);
    const content = entry.isFile() ? await readFile(path, "base64") : "";
    all.set(relative(folder, path), `${mtimeMs} ${mode} ${content}`);
  }
  return all;
}

const paths = ({ list }: { list: { path: string }[] }) =>
  list.map(({ path }) => path);

let shared: TurnsView;

beforeAll(async () => {
  shared = await TurnsView.open(await mkdtemp(join(tmpdir(), "gantry-turns-")));
});
afterAll(async () => {
  await shared.agents.kernel.stop();
  await rm(shared.folder, { recursive: true, force: true });
});

test("the repository of the user stays byte for byte as it is", async () => {
  const cwd = await createRepository(join(await temporaryFolder(), "work"), {
    "a.txt": "one\n",
  });
  await writeFiles(cwd, { "a.txt": "two\n", "staged.txt": "x\n" });
  await plainGit(cwd, "add", "staged.txt");
  const before = await readAll(join(cwd, ".git"));
  const view = await shared.at(cwd);
  const { turnId } = await view.change("echo three > a.txt; rm staged.txt");
  expect((await view.restore(turnId)).status).toBe(200);
  expect(await readAll(join(cwd, ".git"))).toEqual(before);
  expect(await readdir(cwd)).toEqual([".git", "a.txt", "staged.txt"]);
});

test("a repository that names programs has none of them run", async () => {
  const cwd = join(await temporaryFolder(), "work");
  const { canary } = await createHostileRepository(cwd);
  const view = await shared.at(cwd);
  const turn = await view.change(
    "echo three > a.txt; echo x > new.bin; echo '* text eol=crlf ident working-tree-encoding=UTF-16 filter=evil diff=evil' >> .gitattributes",
  );
  expect(paths(turn)).toEqual([".gitattributes", "a.txt", "new.bin"]);
  expect(turn.patch).toContain("+three");
  expect((await view.restore(turn.turnId)).status).toBe(200);
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("two\n");
  expect(existsSync(canary)).toBe(false);
});

test("files are kept as they are on disk, whatever attributes say", async () => {
  const cwd = await createRepository(join(await temporaryFolder(), "work"), {
    ".gitattributes": "*.lf text eol=lf\n*.id ident\n*.big filter=lfs\n",
    "a.lf": "one\n",
  });
  await writeFiles(cwd, {
    "a.lf": "one\r\ntwo\n",
    "b.id": "$Id: mine $\n",
    "c.big": "version https://git-lfs.github.com/spec/v1\n",
    "d.big": "content\n",
  });
  const view = await shared.at(cwd);
  const { turnId } = await view.change("rm a.lf b.id c.big d.big");
  expect((await view.restore(turnId)).status).toBe(200);
  expect(await readFile(join(cwd, "a.lf"), "utf8")).toBe("one\r\ntwo\n");
  expect(await readFile(join(cwd, "b.id"), "utf8")).toBe("$Id: mine $\n");
  expect(await readFile(join(cwd, "c.big"), "utf8")).toMatch(/^version/);
  expect(await readFile(join(cwd, "d.big"), "utf8")).toBe("content\n");
});

test("repositories in the folder are left alone, and pipes are passed over", async () => {
  const outer = await temporaryFolder();
  const inner = await createRepository(join(outer, "inner"), { "i.txt": "" });
  const cwd = await createRepository(join(outer, "work"), { "a.txt": "one\n" });
  const allow = ["-c", "protocol.file.allow=always"];
  await plainGit(cwd, ...allow, "submodule", "--quiet", "add", inner, "sub");
  await plainGit(cwd, "commit", "-qm", "Add a submodule");
  await createRepository(join(cwd, "nested"), { "n.txt": "" });
  await mkdir(join(cwd, "unborn"));
  await plainGit(join(cwd, "unborn"), "init", "-q");
  await plainGit(cwd, "worktree", "add", "-q", "tree");
  const view = await shared.at(cwd);
  const turn = await view.change(
    "echo x > sub/i.txt; echo x > nested/n.txt; echo x > unborn/u.txt; echo x > tree/a.txt; mkfifo pipe; echo x > a.txt",
  );
  expect(paths(turn)).toEqual(["a.txt"]);
  const replaced = await view.change("rm a.txt; mkfifo a.txt");
  expect(replaced.list).toMatchObject([{ path: "a.txt", kind: "deleted" }]);
  expect(await view.restore(replaced.turnId)).toMatchObject({
    status: 400,
    body: { code: "FILE_NOT_REGULAR" },
  });
  // The linked working tree is one of its own.
  const linked = await view.at(join(cwd, "tree"));
  expect(paths(await linked.change("echo y > a.txt"))).toEqual(["a.txt"]);
});

test("what is kept is what the user's git would look at, and what it has", async () => {
  const cwd = await createRepository(join(await temporaryFolder(), "work"), {
    ".gitignore": "dist\n*.log\n",
  });
  await writeFiles(cwd, { "dist/kept.js": "one\n", "dist/not.js": "one\n" });
  await plainGit(cwd, "add", "-f", "dist/kept.js");
  await writeFile(join(cwd, ".git/info/exclude"), "private\n");
  await writeFiles(cwd, { private: "secret\n" });
  const view = await shared.at(cwd);
  const turn = await view.change(
    "echo x > dist/kept.js; echo x > dist/not.js; echo x > private; echo x > a.log; echo x > b.txt",
  );
  expect(paths(turn)).toEqual(["b.txt", "dist/kept.js"]);
  const ignoring = await view.change("echo late >> .gitignore; echo x > late");
  expect(paths(ignoring)).toEqual([".gitignore"]);
});

test("a folder in a repository has its own changes only, also before the first commit", async () => {
  const root = join(await temporaryFolder(), "work");
  await mkdir(root);
  await plainGit(root, "init", "-q");
  await writeFiles(root, { ".gitignore": "*.log\n", "sub/deep/a.txt": "a\n" });
  const view = await shared.at(join(root, "sub"));
  const turn = await view.change(
    "echo b > deep/a.txt; echo x > deep/x.log; echo up > ../up.txt",
  );
  expect(turn.list).toMatchObject([{ path: "deep/a.txt", kind: "modified" }]);
  expect(turn.patch).toContain("+++ b/deep/a.txt");
  expect((await view.restore(turn.turnId)).status).toBe(200);
  expect(await readFile(join(root, "sub/deep/a.txt"), "utf8")).toBe("a\n");
  const emptied = await view.change("rm -r deep");
  expect(emptied.list).toMatchObject([{ kind: "deleted" }]);
  expect((await view.restore(emptied.turnId)).status).toBe(200);
});

test("clones without all objects, borrowed ones and other hashes make no difference", async () => {
  const outer = await temporaryFolder();
  const origin = await createRepository(join(outer, "origin"), { "a.txt": "" });
  await plainGit(origin, "config", "uploadpack.allowFilter", "true");
  const url = `file://${origin}`;
  await plainGit(outer, "clone", "-q", "--filter=blob:none", url, "partial");
  await plainGit(outer, "clone", "-q", "--shared", origin, "shared");
  await plainGit(outer, "init", "-q", "--object-format=sha256", "sha256");
  await rm(origin, { recursive: true });
  const view = await shared.at(join(outer, "partial"));
  for (const name of ["partial", "shared", "sha256"]) {
    const other = await view.at(join(outer, name));
    expect(paths(await other.change("echo x > x.txt"))).toEqual(["x.txt"]);
  }
});

test("a folder without a repository says so, and one whose repository is not read says why", async () => {
  const outer = await temporaryFolder();
  const cwd = join(outer, "plain");
  await mkdir(cwd);
  const view = await shared.at(cwd);
  await view.run("echo x > a.txt");
  expect(await view.list()).toEqual({ git: false });
  const secret = await createRepository(join(outer, "secret"), { key: "" });
  await writeFile(join(cwd, ".git"), `gitdir: ${secret}/.git\n`);
  await view.run("echo y > a.txt");
  expect(await view.list()).toEqual({
    git: true,
    items: [],
    notice: expect.stringContaining("does not name this folder") as string,
  });
});

test("the daemon's own folder is not kept", async () => {
  const cwd = await createRepository(join(await temporaryFolder(), "work"), {
    "a.txt": "one\n",
  });
  const home = join(cwd, "home #1");
  await using view = await TurnsView.open(cwd, { home });
  const turn = await view.change("echo x > a.txt; echo x > 'home #1/x.txt'");
  expect(paths(turn)).toEqual(["a.txt"]);
  expect(await realpath(home)).toBe(home);
});
