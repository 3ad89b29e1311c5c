import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Manifest } from "../../src/archive/manifest.ts";
import { forgeFileList, forgeManifest, forgePieceList } from "./forge.ts";
import {
  ARCHIVE,
  CORRUPT,
  count,
  createSnapshot,
  INVALID,
  listed,
  refusalOf,
  TOO_LARGE,
} from "./hostile-support.ts";

const paths: [what: string, lines: object[]][] = [
  ["out of the folder", [listed("../x")]],
  ["out of the folder, later", [listed("a/../../x")]],
  ["that is absolute", [listed("/tmp/x")]],
  ["of Windows", [listed("C:\\x")]],
  ["with a drive", [listed("C:x")]],
  ["with backslashes", [listed("..\\x")]],
  ["with NUL", [listed("a\0b")]],
  ["with a name of 300 characters", [listed("a".repeat(300))]],
  ["of many folders", [listed("a/".repeat(600) + "b")]],
  ["without a name", [listed("")]],
  ["that ends in a folder", [listed("a/")]],
  ["twice", [listed("a"), listed("a")]],
  ["twice but for case", [listed("a/B"), listed("A/b")]],
  ["twice but for how it is written", [listed("\u00e9"), listed("e\u0301")]],
  ["in a folder that is a file", [listed("a"), listed("a/b")]],
  ["that is a folder of another", [listed("a/b"), listed("A")]],
  ["of a plugin out of the folder", [listed("x", { plugin: ".." })]],
  ["of a plugin with a path", [listed("x", { plugin: "a/b" })]],
  ["with a mode that is none", [listed("x", { mode: 0o4755 })]],
  ["with a link", [listed("x", { linkpath: "/etc/passwd" })]],
  ["with pieces that are none", [listed("x", { pieces: ["../../x"] })]],
  ["with more pieces than fit", [listed("x", { size: 5_000_000 })]],
];

for (const [what, lines] of paths)
  test(`a file with a path ${what} is refused`, async () => {
    await using made = await createSnapshot();
    const { path, place } = made;
    await forgeFileList(path, lines, count(lines.length));
    expect(await refusalOf(place, path)).toBe(INVALID);
  });

test("a list that is not what the manifest says is refused", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const other = "ab".repeat(32);
  await forgeFileList(path, [listed("a"), listed("b")], count(1));
  expect(await refusalOf(place, path)).toBe(TOO_LARGE);
  await forgeFileList(path, [listed("a")], count(2));
  expect(await refusalOf(place, path)).toBe(CORRUPT);
  await forgeFileList(path, [listed("a", { pieces: [other] })], count(1));
  expect(await refusalOf(place, path)).toBe(CORRUPT);
  await forgeFileList(path, [listed("a", { sha256: other })], count(1));
  expect(await refusalOf(place, path)).toBe(CORRUPT);
  await forgeFileList(path, [listed("a")], count(1));
  expect(await refusalOf(place, path)).toBeUndefined();
});

test("a list of pieces that is none is refused", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const before = await readFile(join(path, "pieces.txt"), "utf8");
  const lists = ["../../x  1\n", "\n", before + before, `${"a".repeat(5_000)}`];
  for (const text of lists) {
    await forgePieceList(path, text, () => {});
    expect(await refusalOf(place, path)).toBe(INVALID);
  }
  await forgePieceList(path, before.replace(/ \d+/, " 99999999"), () => {});
  expect(await refusalOf(place, path)).toBe(TOO_LARGE);
});

test("a manifest that does not fit is refused", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const changes: ((manifest: Manifest) => unknown)[] = [
    (manifest) => ({ ...manifest, more: true }),
    ({ archives: _archives, ...manifest }) => manifest,
    (manifest) => (manifest.archives[0]!.name = "../../etc/x.tar.zst"),
    (manifest) => (manifest.archives[0]!.name = "agents.tar.zst"),
    (manifest) => (manifest.files.list.name = "files.ndjson.zst.age"),
    (manifest) => (manifest.files.bytes = -1),
    (manifest) => (manifest.hasSecrets = true),
    (manifest) => (manifest.isEncrypted = true),
    (manifest) => manifest.archives.push(manifest.archives[0]!),
    (manifest) => manifest.archives.pop(),
    (manifest) => (manifest.records = 7),
    (manifest) => (manifest.id = "../x"),
    () => [],
    () => "text",
  ];
  const before = await readFile(join(path, "manifest.json"), "utf8");
  for (const change of changes) {
    await forgeManifest(path, (manifest) => {
      const changed = change(manifest);
      return typeof changed === "object" || changed === "text"
        ? changed
        : manifest;
    });
    const code = await refusalOf(place, path);
    expect([String(change), code]).toEqual([String(change), INVALID]);
    await forgeManifest(path, () => JSON.parse(before) as object);
  }
  await writeFile(join(path, "manifest.json"), " ".repeat(17 * 1024 ** 2));
  expect(await refusalOf(place, path)).toBe(TOO_LARGE);
});

test("what is a link is not followed", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const away = join(place.folder, "away");
  for (const name of ["manifest.json", ARCHIVE, "pieces.txt"]) {
    const content = await readFile(join(path, name));
    await writeFile(away, content);
    await rm(join(path, name));
    await symlink(away, join(path, name));
    expect(await refusalOf(place, path)).toBe(CORRUPT);
    await rm(join(path, name));
    await writeFile(join(path, name), content);
  }
  expect(await refusalOf(place, path)).toBeUndefined();
});
