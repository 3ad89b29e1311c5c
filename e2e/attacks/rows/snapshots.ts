import { cp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import {
  forgeArchive,
  forgeManifest,
  forgeTar,
  type ForgedEntry,
} from "../../../plugins/backup/test/archive/forge.ts";
import { readAll } from "../../support/read-all.ts";
import { judge } from "../runner/judge.ts";
import { accepted, refused } from "../runner/row.ts";
import type { Row } from "../runner/row.ts";
import type { State } from "../world/state.ts";
import type { World } from "../world/world.ts";
import { postJson } from "./requests.ts";

const ARCHIVE = "snippets.tar.zst";
const NAME = "snippets.ndjson";
const LINE = Buffer.from('{"key":"snippets:snippet:a","text":"{}"}\n');
const ELSEWHERE = "/tmp/canary-snapshot";
const GIB = 1024 ** 3;
/** Of the disk, for an archive that says that it is small. */
const BOMB_BYTES = 64 * 1024 ** 2;

/** What is done to a snapshot in a folder. */
type Damage = (folder: string) => Promise<unknown>;

const file = (path: string): ForgedEntry => ({
  header: { path, type: "File" },
  content: LINE,
});
const special = (header: ForgedEntry["header"]): ForgedEntry => ({
  header: { path: NAME, ...header },
});

const HOSTILE_ENTRIES: Readonly<Record<string, ForgedEntry[]>> = {
  "a path out of the folder": [file("../../canary-snapshot")],
  "an absolute path": [file(ELSEWHERE)],
  "a path of Windows": [file("C:\\x")],
  "a link and a file through it": [
    special({ path: "out", type: "SymbolicLink", linkpath: "/tmp" }),
    file("out/canary-snapshot"),
  ],
  "a hard link": [special({ type: "Link", linkpath: "/etc/passwd" })],
  "a device": [special({ type: "CharacterDevice" })],
  "a FIFO": [special({ type: "FIFO" })],
  "two of one name": [file(NAME), file(NAME)],
  "two that differ in case": [file(NAME), file(NAME.toUpperCase())],
  "a name with NUL": [file(`x\0${NAME}`)],
  "a name of 300 characters": [
    {
      header: { path: "PaxHeader", type: "ExtendedHeader" },
      content: Buffer.from(`310 path=${"a".repeat(300)}\n`),
    },
    file(NAME),
  ],
};

const BOMBS: Readonly<Record<string, Damage>> = {
  "an archive that says 100 GB": (folder) =>
    forgeManifest(folder, (manifest) => {
      for (const archive of manifest.archives)
        archive.unpackedBytes = 100 * GIB;
    }),
  "an archive that says 10^7 entries": (folder) =>
    forgeManifest(folder, (manifest) => {
      for (const archive of manifest.archives) archive.entries = 10_000_000;
    }),
  "a list of files of 3 GB": (folder) =>
    forgeManifest(folder, ({ files }) => {
      files.list.unpackedBytes = 3 * GIB;
    }),
  "an archive that holds more than it says": (folder) =>
    forgeArchive(
      folder,
      ARCHIVE,
      forgeTar([{ ...file(NAME), content: Buffer.alloc(BOMB_BYTES) }]),
      { unpackedBytes: 100_000 },
    ),
  "an entry that says 1 TB": (folder) =>
    forgeArchive(
      folder,
      ARCHIVE,
      forgeTar([{ header: { path: NAME, type: "File", size: 1024 * GIB } }]),
    ),
};

async function flipMiddle(path: string): Promise<void> {
  await using handle = await open(path, "r+");
  const { size } = await handle.stat();
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, size >> 1);
  byte[0]! ^= 1;
  await handle.write(byte, 0, 1, size >> 1);
}

/** One bit in the middle of each file, and each file cut off, empty and gone. The manifest has cases of its own when it is gone. */
async function damagesOf(folder: string): Promise<Record<string, Damage>> {
  const damages: Record<string, Damage> = {};
  for (const name of await readdir(folder)) {
    // It says which home made the snapshot, and nothing that is restored depends on it.
    if (name === "home.json") continue;
    const content = await readFile(join(folder, name));
    const at = (path: string) => join(path, name);
    damages[`a flipped bit in ${name}`] = (path) => flipMiddle(at(path));
    damages[`half of ${name}`] = (path) =>
      writeFile(at(path), content.subarray(0, content.length >> 1));
    damages[`nothing in ${name}`] = (path) => writeFile(at(path), "");
    if (name !== "manifest.json")
      damages[`no ${name}`] = (path) => rm(at(path));
  }
  return damages;
}

/** What may change when a restore is refused: the snapshot is marked as damaged, and notices report it. */
const MAY_TELL =
  /^(GET \/api\/(backup|inbox|apps|events)|store (backup|inbox|kernel:event)[:~]|file backups|file home\/restore$)/;

/** Names of what has changed and may not have. */
function changesBetween(before: State, after: State): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter(
    (name) => before[name] !== after[name] && !MAY_TELL.test(name),
  );
}

/** The id of the only snapshot, which is another one while its manifest cannot be read. */
async function findId({ api }: World, path: string): Promise<string> {
  const listed = await readAll<{ id: string; path: string }>(
    api,
    "/api/backup/snapshots",
  );
  expect(listed).toMatchObject([{ path }]);
  return listed[0]!.id;
}

/** Asks for a restore of a snapshot that is damaged in each of these ways. Afterwards nothing of it is anywhere. */
async function refuseAll(
  world: World,
  damages: Readonly<Record<string, Damage>>,
  status: number,
  code: string,
): Promise<void> {
  const { id, path } = world.victims.snapshot;
  const whole = join(world.folder, "whole-snapshot");
  await cp(path, whole, { recursive: true });
  const before = await world.state.read();
  for (const [name, damage] of Object.entries(damages)) {
    await damage(path);
    const request = postJson(world, "/api/backup/restore", {
      id: await findId(world, path),
    });
    const answer = await world.ask(request);
    // What a hostile entry is called may be told; nothing else of the machine may.
    const known = { ...request, body: `${request.body}\n${ELSEWHERE}` };
    try {
      judge(world, answer, refused(status, code), known);
    } catch (error) {
      throw new Error(`A snapshot with ${name}`, { cause: error });
    }
    await rm(path, { recursive: true });
    await cp(whole, path, { recursive: true });
  }
  expect(changesBetween(before, await world.state.read())).toEqual([]);
  expect(await findId(world, path)).toBe(id);
  // It was the damage that was refused.
  const preview = postJson(world, "/api/backup/restore", { id, preview: true });
  judge(world, await world.ask(preview), accepted(), preview);
}

/** Snapshots that are none, too large, or damaged. */
export const snapshots: readonly Row[] = [
  {
    id: "A140",
    title: "archives with entries that are links, devices or lead elsewhere",
    ownDaemon: true,
    changes: true,
    async run(world) {
      const damages = Object.entries(HOSTILE_ENTRIES).map(
        ([name, entries]): [string, Damage] => [
          name,
          (folder) => forgeArchive(folder, ARCHIVE, forgeTar(entries)),
        ],
      );
      const code = "BACKUP_SNAPSHOT_INVALID";
      await refuseAll(world, Object.fromEntries(damages), 400, code);
    },
  },
  {
    id: "A140b",
    title: "lists of files with paths that lead elsewhere or are taken twice",
    provedBy: [
      [
        "plugins/backup/test/archive/hostile-archives.test.ts",
        "an archive with ${what} is refused",
      ],
      [
        "plugins/backup/test/archive/hostile-lists.test.ts",
        "a file with a path ${what} is refused",
      ],
      [
        "plugins/backup/test/archive/hostile-lists.test.ts",
        "what is a link is not followed",
      ],
    ],
  },
  {
    id: "A141",
    title: "archives that are bombs, whether they say so or not",
    ownDaemon: true,
    changes: true,
    run: (world) => refuseAll(world, BOMBS, 413, "BACKUP_SNAPSHOT_TOO_LARGE"),
  },
  {
    id: "A141b",
    title: "bombs in files and in lists, with little on disk",
    provedBy: [
      [
        "plugins/backup/test/archive/bombs.test.ts",
        "a bomb is refused before it is unpacked, if it says what it is",
      ],
      [
        "plugins/backup/test/archive/bombs.test.ts",
        "a bomb that lies is refused while it is unpacked, with little on disk",
      ],
      [
        "plugins/backup/test/archive/bombs.test.ts",
        "a piece that holds more than it should is refused",
      ],
      [
        "plugins/backup/test/archive/bombs.test.ts",
        "one piece is not a hundred gigabytes",
      ],
    ],
  },
  {
    id: "A142",
    title: "snapshots with a flipped bit, cut off, or with a file missing",
    ownDaemon: true,
    changes: true,
    async run(world) {
      const damages = await damagesOf(world.victims.snapshot.path);
      await refuseAll(world, damages, 400, "BACKUP_SNAPSHOT_CORRUPT");
    },
  },
  {
    id: "A142b",
    title: "damage at every thousandth byte of all files",
    provedBy: [
      [
        "plugins/backup/test/archive/damage.test.ts",
        'no bit of ${isEncrypted ? "an encrypted" : "a plain"} snapshot can change unnoticed',
      ],
      [
        "plugins/backup/test/restore-refused.test.ts",
        "a damaged one, before anything is touched",
      ],
      [
        "plugins/backup/test/snapshots.test.ts",
        "half of a snapshot is none, and is removed at the next start",
      ],
    ],
  },
];
