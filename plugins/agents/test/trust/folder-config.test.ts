import { execFile } from "node:child_process";
import {
  mkdir,
  mkdtemp,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findFolderConfig as findConfig } from "../../src/trust/folder-config.ts";

let folder: string;
let remote: string | undefined;

const findFolderConfig = (cwd: string, paths: readonly string[]) =>
  findConfig(cwd, paths, { remote: async () => remote });

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gantry-trust-")));
  remote = undefined;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const PATHS = [".pi/extensions", ".pi/settings.json", "^.agents/skills"];
const digest = async () => (await findFolderConfig(folder, PATHS))?.digest;

async function put(path: string, text = ""): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

test("a folder without configuration needs no trust", async () => {
  await put("README.md", "hello");
  await put(".pi/notes.txt", "not read by pi");
  expect(await findFolderConfig(folder, PATHS)).toBeUndefined();
});

test("what was found is named", async () => {
  await put(".pi/settings.json", "{}");
  await put(".pi/extensions/a/index.ts", "1");
  expect(await findFolderConfig(folder, PATHS)).toMatchObject({
    path: folder,
    remote: null,
    files: [".pi/extensions", ".pi/settings.json"],
  });
});

test("every change of content, name or number is another digest; a change of time is not", async () => {
  await put(".pi/extensions/a.ts", "1");
  const digests = [await digest()];
  await put(".pi/extensions/a.ts", "2");
  digests.push(await digest());
  await put(".pi/extensions/b.ts", "");
  digests.push(await digest());
  await rm(join(folder, ".pi/extensions/b.ts"));
  await put(".pi/extensions/c.ts", "");
  digests.push(await digest());
  expect(new Set(digests).size).toBe(4);
  await utimes(join(folder, ".pi/extensions/a.ts"), 1, 1);
  expect(await digest()).toBe(digests[3]);
});

test("what lies behind a link counts, and a circle of links ends", async () => {
  const elsewhere = join(folder, "elsewhere");
  await put("elsewhere/evil.ts", "1");
  await mkdir(join(folder, ".pi"));
  await symlink(elsewhere, join(folder, ".pi/extensions"));
  await symlink(elsewhere, join(elsewhere, "again"));
  const before = await digest();
  expect(before).toBeDefined();
  await put("elsewhere/evil.ts", "2");
  expect(await digest()).not.toBe(before);
  await rm(elsewhere, { recursive: true });
  expect(await digest()).toBeDefined();
});

test("a folder above counts where the CLI looks there, but not the user's home", async () => {
  await put(".agents/skills/x/SKILL.md", "run me");
  const inner = join(folder, "inner");
  await mkdir(inner);
  expect((await findFolderConfig(inner, PATHS))?.files).toEqual([
    join(folder, ".agents/skills"),
  ]);
  const before = process.env["HOME"];
  try {
    process.env["HOME"] = folder;
    expect(await findFolderConfig(inner, PATHS)).toBeUndefined();
  } finally {
    process.env["HOME"] = before;
  }
});

test("something that never ends to be read is not read", async () => {
  await mkdir(join(folder, ".pi/extensions"), { recursive: true });
  await promisify(execFile)("mkfifo", [join(folder, ".pi/extensions/pipe.ts")]);
  expect(await digest()).toBeDefined();
});

test("the same files from another repository are another trust", async () => {
  await put(".pi/settings.json", "{}");
  remote = "a";
  const first = await findFolderConfig(folder, PATHS);
  remote = "b";
  const second = await findFolderConfig(folder, PATHS);
  expect([first?.digest, first?.remote]).toEqual([second?.digest, "a"]);
  expect(second?.remote).toBe("b");
});
