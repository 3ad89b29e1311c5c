import { spawnSync } from "node:child_process";
import {
  mkdtemp,
  readdir,
  readFile,
  rm,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { asideKeyOf, toAsidePath, toDraftPath } from "../src/draft-names.ts";
import { removeLeftDrafts } from "../src/files.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-left-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  file = join(folder, "token");
  await writeFile(file, "old");
});

/** Of a process that has ended. */
const endedPid = () => spawnSync(process.execPath, ["--version"]).pid;

/** A path as another process would have chosen it. */
const by = (pid: number, path: string) =>
  path.replace(`${process.pid}-`, `${pid}-`);

const names = async () => (await readdir(folder)).sort();

async function write(path: string, content: string, age = 0): Promise<string> {
  await writeFile(path, content);
  const at = new Date(Date.now() - age);
  await utimes(path, at, at);
  return path;
}

test("drafts of processes that have ended go, those of running ones and other files stay", async () => {
  const pid = endedPid();
  await write(by(pid, toDraftPath(file)), "new");
  await write(join(folder, ".token.0123456789ab.tmp"), "early", 2 * DAY_MS);
  await write(by(1, toDraftPath(file)), "number in use again", 2 * DAY_MS);
  // In a container each daemon has the same number.
  await write(toDraftPath(file), "of the daemon before", DAY_MS / 2);
  const kept = [
    await write(toDraftPath(file), "of this process"),
    await write(by(1, toDraftPath(file)), "of a running one", DAY_MS / 2),
    await write(join(folder, ".token.0123456789ac.tmp"), "early, new"),
    await write(join(folder, `.token.${pid}-0123.tmp`), "other", 2 * DAY_MS),
    await write(join(folder, "x.tmp"), "other", 2 * DAY_MS),
    file,
  ];
  expect(await removeLeftDrafts(folder)).toBe(4);
  expect((await names()).map((name) => join(folder, name))).toEqual(
    kept.sort(),
  );
  expect(await removeLeftDrafts(join(folder, "none"))).toBe(0);
});

test("a file that was being overwritten gets its new content", async () => {
  const pid = endedPid();
  await write(file, "ne");
  await write(by(pid, toDraftPath(file)), "new");
  await write(by(pid, toAsidePath(file)), "old");
  expect(await removeLeftDrafts(folder)).toBe(2);
  expect(await names()).toEqual(["token"]);
  expect(await readFile(file, "utf8")).toBe("new");
});

test("an old content goes that the file still has, and stays if nothing tells whether the file is whole", async () => {
  const pid = endedPid();
  await write(by(pid, toAsidePath(file)), "old");
  expect(await removeLeftDrafts(folder)).toBe(1);
  await write(file, "ne");
  const kept = await write(by(pid, toAsidePath(file)), "old", 1000);
  // Of a later try, which did not come as far.
  await write(by(pid, toDraftPath(file)), "n");
  const gone = `.gantry-${asideKeyOf("gone")}-${pid}-0123456789ab.before`;
  await write(join(folder, gone), "old", 2 * DAY_MS);
  expect(await removeLeftDrafts(folder)).toBe(1);
  expect((await names()).map((name) => join(folder, name))).toEqual(
    [kept, join(folder, gone), file].sort(),
  );
  expect(await readFile(file, "utf8")).toBe("ne");
});
