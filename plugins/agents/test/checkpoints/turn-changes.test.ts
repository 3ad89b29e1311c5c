import { existsSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRepository, writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { TurnsView } from "../help/turns-view.ts";

async function openFolder(): Promise<string> {
  return await createRepository(join(await temporaryFolder(), "work"), {
    ".gitignore": "*.log\n",
    "a.txt": "one\ntwo\n",
    "crlf.txt": "one\r\ntwo\r\n",
    "moved.txt": "a line\n".repeat(20),
    "gone.txt": "gone\n",
    "run.sh": "#!/bin/sh\n",
    "picture.bin": Buffer.from([0, 1, 2, 255]),
  });
}

let shared: TurnsView;

beforeAll(async () => {
  shared = await TurnsView.open(await mkdtemp(join(tmpdir(), "gantry-turns-")));
});
afterAll(async () => {
  await shared.agents.kernel.stop();
  await rm(shared.folder, { recursive: true, force: true });
});

test("a turn tells what it changed, untracked files included and ignored ones not", async () => {
  const cwd = await openFolder();
  await writeFiles(cwd, { "untracked.txt": "old\n", "old.log": "log\n" });
  const view = await shared.at(cwd);
  expect(await view.list()).toEqual({ git: true, items: [], notice: null });
  const turn = await view.change(
    [
      "echo three >> a.txt",
      String.raw`printf 'new\r\n' >> crlf.txt`,
      "mv moved.txt there.txt",
      "rm gone.txt",
      "chmod +x run.sh",
      String.raw`printf '\000\001' > picture.bin`,
      "echo new > untracked.txt",
      "mkdir sub; echo sub > sub/new.txt",
      "ln -s a.txt link",
      String.raw`printf x > "$(printf 'caf\351.txt')"`,
      "echo more >> old.log",
    ].join("; "),
  );
  expect(turn.list.map(({ path, from, kind }) => [path, from, kind])).toEqual([
    ["a.txt", null, "modified"],
    [String.raw`caf\351.txt`, null, "added"],
    ["crlf.txt", null, "modified"],
    ["gone.txt", null, "deleted"],
    ["link", null, "added"],
    ["picture.bin", null, "modified"],
    ["run.sh", null, "modified"],
    ["sub/new.txt", null, "added"],
    ["there.txt", "moved.txt", "renamed"],
    ["untracked.txt", null, "modified"],
  ]);
  expect(turn).toMatchObject({
    files: 10,
    additions: 6,
    deletions: 2,
    undone: false,
    sharedWith: [],
    truncated: false,
    notices: [],
  });
  expect(turn.patch).toContain("diff --git a/a.txt b/a.txt");
  expect(turn.patch).toContain("+three\n");
  expect(turn.patch).toContain("rename to there.txt");
  expect(turn.patch).toContain("+new\r\n");
  const { items } = await view.list();
  const { list: _, patch: __, truncated: ___, notices: ____, ...item } = turn;
  expect(items).toEqual([item]);

  const { status, body } = await view.restore(turn.turnId);
  expect([status, body.files.map(({ action }) => action)]).toEqual([
    200,
    [
      ...["restored", "removed", "restored", "restored", "removed"],
      ...["restored", "restored", "restored", "removed", "removed"],
      "restored",
    ],
  ]);
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\ntwo\n");
  expect(await readFile(join(cwd, "crlf.txt"), "utf8")).toBe("one\r\ntwo\r\n");
  expect(await readFile(join(cwd, "picture.bin"))).toEqual(
    Buffer.from([0, 1, 2, 255]),
  );
  expect((await lstat(join(cwd, "run.sh"))).mode & 0o111).toBe(0);
  expect(await readFile(join(cwd, "untracked.txt"), "utf8")).toBe("old\n");
  expect(await readFile(join(cwd, "old.log"), "utf8")).toBe("log\nmore\n");
  expect(existsSync(join(cwd, "link"))).toBe(false);
  expect(existsSync(join(cwd, "there.txt"))).toBe(false);
  expect(existsSync(join(cwd, "sub"))).toBe(true);
  expect((await view.list()).items).toEqual([
    { ...item, undone: true, undoId: body.undoId },
  ]);

  const undone = await view.restore(body.undoId!);
  expect(undone.status, JSON.stringify(undone.body)).toBe(200);
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
  expect(await readlink(join(cwd, "link"))).toBe("a.txt");
  expect((await lstat(join(cwd, "run.sh"))).mode & 0o111).not.toBe(0);
  expect((await view.list()).items).toEqual([
    { ...item, undoId: undone.body.undoId },
  ]);

  const again = await view.restore(undone.body.undoId!);
  expect(again.status).toBe(200);
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\ntwo\n");
  expect((await view.list()).items[0]!.undone).toBe(true);
});

test("some of the files are restored, and a preview writes nothing", async () => {
  const cwd = await openFolder();
  const view = await shared.at(cwd);
  const { turnId } = await view.change(
    "echo x > a.txt; mv moved.txt there.txt; rm gone.txt",
  );
  const preview = await view.restore(turnId, {
    preview: true,
    paths: ["there.txt"],
  });
  expect(preview.body).toEqual({
    files: [
      { path: "moved.txt", action: "restored", changedSince: false },
      { path: "there.txt", action: "removed", changedSince: false },
    ],
    undoId: null,
  });
  expect(existsSync(join(cwd, "there.txt"))).toBe(true);
  expect((await view.restore(turnId, { paths: ["there.txt"] })).status).toBe(
    200,
  );
  expect(existsSync(join(cwd, "moved.txt"))).toBe(true);
  expect(existsSync(join(cwd, "gone.txt"))).toBe(false);
  expect((await view.list()).items[0]!.undone).toBe(false);
  expect(
    (await view.restore(turnId, { paths: ["a.txt", "gone.txt"] })).status,
  ).toBe(200);
  expect((await view.list()).items[0]!.undone).toBe(true);
  const unknown = await view.restore(turnId, { paths: ["crlf.txt"] });
  expect(unknown).toMatchObject({
    status: 400,
    body: { code: "TURN_FILE_UNKNOWN" },
  });
});

test("files that changed since are written only on request, and nothing else is without it", async () => {
  const cwd = await openFolder();
  const view = await shared.at(cwd);
  const { turnId } = await view.change("echo x > a.txt; rm gone.txt");
  await writeFile(join(cwd, "a.txt"), "mine\n");
  const refused = await view.restore(turnId);
  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: "FILES_CHANGED_SINCE",
      detail: expect.stringContaining("a.txt") as string,
    },
  });
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("mine\n");
  expect(existsSync(join(cwd, "gone.txt"))).toBe(false);
  const { body } = await view.restore(turnId, { overwrite: true });
  expect(body.files).toEqual([
    { path: "a.txt", action: "restored", changedSince: true },
    { path: "gone.txt", action: "restored", changedSince: false },
  ]);
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\ntwo\n");
  expect((await view.restore(body.undoId!)).status).toBe(200);
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("mine\n");
});

test("a file that was ignored meanwhile is not lost by a restore over it", async () => {
  const cwd = await openFolder();
  const view = await shared.at(cwd);
  const { turnId } = await view.change("rm gone.txt");
  await writeFiles(cwd, { ".gitignore": "gone.txt\n", "gone.txt": "mine\n" });
  const { body } = await view.restore(turnId, { overwrite: true });
  expect(await readFile(join(cwd, "gone.txt"), "utf8")).toBe("gone\n");
  await view.restore(body.undoId!);
  expect(await readFile(join(cwd, "gone.txt"), "utf8")).toBe("mine\n");
});

test("nothing is written through a link, wherever it leads", async () => {
  const cwd = await openFolder();
  await writeFiles(cwd, { "sub/a.txt": "a\n" });
  const outside = await temporaryFolder();
  const view = await shared.at(cwd);
  const { turnId } = await view.change("rm sub/a.txt; rmdir sub");
  for (const target of [outside, "other"]) {
    await mkdir(join(cwd, "other"), { recursive: true });
    await symlink(target, join(cwd, "sub"));
    const refused = await view.restore(turnId, { overwrite: true });
    expect(refused).toMatchObject({
      status: 403,
      body: { code: "PATH_OUTSIDE" },
    });
    expect(existsSync(join(cwd, "sub/a.txt"))).toBe(false);
    await view.run("rm sub");
  }
  expect((await view.restore(turnId)).status).toBe(200);
  expect(await readFile(join(cwd, "sub/a.txt"), "utf8")).toBe("a\n");
});

test("a folder that a turn made a link or a file of becomes a folder again, and back", async () => {
  const cwd = await openFolder();
  await writeFiles(cwd, { "one/a.txt": "a\n", "two/b/c.txt": "c\n", x: "x\n" });
  const view = await shared.at(cwd);
  const { turnId } = await view.change(
    "rm -r one two x; ln -s /tmp one; echo two > two; mkdir x; echo y > x/y",
  );
  const { body, status } = await view.restore(turnId);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(await readFile(join(cwd, "one/a.txt"), "utf8")).toBe("a\n");
  expect(await readFile(join(cwd, "two/b/c.txt"), "utf8")).toBe("c\n");
  expect(await readFile(join(cwd, "x"), "utf8")).toBe("x\n");
  const undone = await view.restore(body.undoId!);
  expect(undone.status, JSON.stringify(undone.body)).toBe(200);
  expect(await readlink(join(cwd, "one"))).toBe("/tmp");
  expect(await readFile(join(cwd, "two"), "utf8")).toBe("two\n");
  expect(await readFile(join(cwd, "x/y"), "utf8")).toBe("y\n");
});

test("permissions beside those of git stay as they are", async () => {
  const cwd = await openFolder();
  await chmod(join(cwd, "a.txt"), 0o600);
  const view = await shared.at(cwd);
  const { turnId } = await view.change("echo x > a.txt; chmod 700 a.txt");
  await view.restore(turnId);
  expect((await lstat(join(cwd, "a.txt"))).mode & 0o777).toBe(0o600);
});

test("nothing is restored while the agent works, and unknown turns are not found", async () => {
  const cwd = await openFolder();
  const view = await shared.at(cwd);
  const { turnId } = await view.change("echo x > a.txt");
  await view.agents.prompt(view.id, "[[sleep:60000]]");
  await view.agents.untilWorking(view.id);
  expect(await view.restore(turnId)).toMatchObject({
    status: 409,
    body: { code: "AGENT_BUSY" },
  });
  expect((await view.restore(turnId, { preview: true })).status).toBe(200);
  const unknown = "trn_00000000000000000000";
  for (const { status } of [
    await view.detail(unknown),
    await view.restore(unknown),
    await view.restore("x"),
  ])
    expect(status).toBe(404);
});

test("what other agents did in the same working tree meanwhile is told", async () => {
  const cwd = await openFolder();
  await writeFiles(cwd, { "sub/a.txt": "a\n" });
  const view = await shared.at(cwd);
  const other = await view.at(join(cwd, "sub"), "Other");
  await view.agents.prompt(
    view.id,
    "[[run:echo x > b.txt; until test -e sub/c.txt; do sleep 0.01; done]]",
  );
  await view.agents.untilDelivered(view.id);
  const own = await other.change("echo x > c.txt");
  await view.agents.untilIdle(view.id);
  const { items } = await view.list();
  expect(items).toMatchObject([{ files: 2, sharedWith: ["Other"] }]);
  expect(own).toMatchObject({
    list: [{ path: "c.txt" }],
    sharedWith: ["Tester"],
  });
});
