import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import {
  mkdir,
  mkdtemp,
  realpath,
  rm,
  symlink,
  truncate,
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
  findConfig(cwd, paths, {
    remote: async () => remote,
    root: async () => undefined,
    common: async () => undefined,
  });

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

function putMany(count: number): void {
  mkdirSync(join(folder, ".pi/extensions"), { recursive: true });
  for (let index = 0; index < count; index += 1) {
    const name = `file-${String(index).padStart(5, "0")}.ts`;
    writeFileSync(join(folder, ".pi/extensions", name), "");
  }
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
    found: [".pi/extensions", ".pi/settings.json"],
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

test("a large file counts by its content, also when its size and its times stay", async () => {
  const file = join(folder, ".pi/extensions/large.ts");
  const content = Buffer.alloc(3 * 1024 * 1024, "a");
  await put(".pi/extensions/large.ts");
  await writeFile(file, content);
  await utimes(file, 1000, 1000);
  const before = await digest();
  content[2_500_000] = 98;
  await writeFile(file, content);
  await utimes(file, 1000, 1000);
  expect(await digest()).not.toBe(before);
});

test("a file that is rewritten in the same moment is another digest", async () => {
  const file = join(folder, ".pi/extensions/a.ts");
  await put(".pi/extensions/a.ts");
  const seen = new Set<string | undefined>();
  for (let round = 0; round < 50; round += 1) {
    writeFileSync(file, `round ${String(round).padStart(4, "0")}`);
    seen.add(await digest());
  }
  expect(seen.size).toBe(50);
});

test(
  "every file of a large folder counts, the last as much as the first",
  { tags: "thorough" },
  async () => {
    putMany(5200);
    const before = await digest();
    await put(".pi/extensions/z-last.ts", "changed");
    expect(await digest()).not.toBe(before);
    const next = await digest();
    await put(".pi/extensions/file-05199.ts", "changed");
    expect(await digest()).not.toBe(next);
  },
);

test(
  "more files than can be looked at are refused and not passed over",
  { tags: "thorough" },
  async () => {
    putMany(20_100);
    await expect(digest()).rejects.toMatchObject({
      code: "AGENT_CONFIG_TOO_LARGE",
      message: expect.stringContaining(".pi/extensions"),
    });
  },
);

test("more bytes than can be looked at are refused, also in a file with holes", async () => {
  await put(".pi/extensions/huge.bin");
  await truncate(join(folder, ".pi/extensions/huge.bin"), 1024 ** 4);
  // To read it would take far longer than a test may.
  await expect(digest()).rejects.toMatchObject({
    code: "AGENT_CONFIG_TOO_LARGE",
  });
});

test("what cannot be read counts as such until it can", async () => {
  const file = join(folder, ".pi/extensions/a.ts");
  await put(".pi/extensions/a.ts", "1");
  const before = await digest();
  await rm(file);
  await symlink(join(folder, "nowhere"), file);
  const gone = await digest();
  expect(gone).not.toBe(before);
  await writeFile(join(folder, "nowhere"), "1");
  expect(await digest()).not.toBe(gone);
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
  expect((await findFolderConfig(inner, PATHS))?.found).toEqual([
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
