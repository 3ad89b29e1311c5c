import { expect, test } from "vitest";
import { forgeArchive, forgeTar, type ForgedEntry } from "./forge.ts";
import {
  ARCHIVE,
  CONTENT,
  CORRUPT,
  createSnapshot,
  file,
  INVALID,
  line,
  NAME,
  refusalOf,
} from "./hostile-support.ts";

const special = (header: ForgedEntry["header"]): ForgedEntry => ({
  header: { path: NAME, ...header },
});

const entries: [what: string, entries: ForgedEntry[]][] = [
  ["a path out of the folder", [file("../x")]],
  ["a path out of the folder, later", [file("a/../../x")]],
  ["an absolute path", [file("/tmp/x")]],
  ["a path of Windows", [file("C:\\x")]],
  ["another name", [file("snippets.000001.ndjson")]],
  ["a name with NUL", [file(`x\0${NAME}`)]],
  ["two of one name", [file(NAME), file(NAME)]],
  ["two that differ in case", [file(NAME), file(NAME.toUpperCase())]],
  ["a folder", [special({ type: "Directory" })]],
  ["a symbolic link", [special({ type: "SymbolicLink", linkpath: "/etc" })]],
  ["a hard link", [special({ type: "Link", linkpath: "/etc/passwd" })]],
  ["a character device", [special({ type: "CharacterDevice" })]],
  ["a block device", [special({ type: "BlockDevice" })]],
  ["a FIFO", [special({ type: "FIFO" })]],
  [
    "a file with a link",
    [{ ...file(NAME), header: { path: NAME, type: "File", linkpath: "/etc" } }],
  ],
  [
    "a name of 300 characters, in an extended header",
    [
      {
        header: { path: "PaxHeader", type: "ExtendedHeader" },
        content: Buffer.from(`310 path=${"a".repeat(300)}\n`),
      },
      file(NAME),
    ],
  ],
  [
    "another name in a header of GNU",
    [
      {
        header: { path: "././@LongLink", type: "NextFileHasLongPath" },
        content: Buffer.from("../../x\0"),
      },
      file(NAME),
    ],
  ],
  [
    "an entry of another namespace",
    [{ ...file(NAME), content: line("agents:agent:a") }],
  ],
  ["a line that is no JSON", [{ ...file(NAME), content: CONTENT }]],
  [
    "a line without an end",
    [{ ...file(NAME), content: line("snippets:a").subarray(0, -1) }],
  ],
];

for (const [what, forged] of entries)
  test(`an archive with ${what} is refused`, async () => {
    await using made = await createSnapshot();
    const { path, place } = made;
    await forgeArchive(path, ARCHIVE, forgeTar(forged));
    expect(await refusalOf(place, path)).toBe(INVALID);
  });

test("a file that is not an archive, a truncated one and one with data after its end are refused", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const tar = forgeTar([file(NAME)]);
  const forged = [
    Buffer.alloc(2048, "x"),
    tar.subarray(0, 512),
    tar.subarray(0, 1024),
    Buffer.concat([tar, tar]),
    Buffer.concat([tar, Buffer.from("x")]),
  ];
  for (const content of forged) {
    await forgeArchive(path, ARCHIVE, content);
    expect(await refusalOf(place, path)).toBe(INVALID);
  }
  // The counts of the manifest are those of what was there before.
  await forgeArchive(path, ARCHIVE, tar);
  expect(await refusalOf(place, path)).toBeUndefined();
});

test("a file of the home that is none of it is refused", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  for (const name of ["store.sqlite", "data/x", "config.json/../token"]) {
    await forgeArchive(path, "home.files.tar.zst", forgeTar([file(name)]));
    expect(await refusalOf(place, path)).toBe(INVALID);
  }
});

test("an archive that holds other entries than were counted is refused", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const content = Buffer.concat([line("snippets:a:1"), line("snippets:b:2")]);
  await forgeArchive(
    path,
    ARCHIVE,
    forgeTar([{ header: { path: NAME, type: "File" }, content }]),
  );
  expect(await refusalOf(place, path)).toBe(CORRUPT);
});
