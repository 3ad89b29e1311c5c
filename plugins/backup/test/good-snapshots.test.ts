import {
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import { InboxItems } from "@gantry/plugin-inbox/contract";
import { provideFake } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { collectUnused } from "../src/archive/collect-unused.ts";
import { openSnapshot } from "../src/archive/open-snapshot.ts";
import {
  forgeArchive,
  forgeFileList,
  forgeManifest,
  forgeTar,
} from "./archive/forge.ts";
import { codeOfRejection, createPlace } from "./archive/support.ts";
import { putRecord, startBackup } from "./support/backup-bench.ts";
import { startCommands } from "./support/command-bench.ts";

const INVALID = "BACKUP_SNAPSHOT_INVALID";
const { signal } = new AbortController();
const HOUR_MS = 60 * 60_000;

test("a snapshot is proven, not proven or damaged, with one notice for each", async () => {
  const keys: (string | undefined)[] = [];
  const inbox = provideFake(InboxItems, {
    add: ({ key }) => {
      keys.push(key);
      return Promise.resolve({ id: "inb_a" });
    },
    settle: () => Promise.resolve(),
  });
  await using bench = await startBackup({ beside: [inbox] });
  await bench.fill("agents/transcripts/a.jsonl", "text");
  const { snapshot } = await bench.backUp();
  const { id, path } = snapshot;
  const standing = async () => (await bench.list())[0]?.standing;
  expect(snapshot.standing).toBe("not-proven");
  await bench.now({ id });
  expect(await standing()).toBe("proven");
  bench.home.rehearsed = [{ id: "backup", state: "failed", reason: "odd" }];
  await bench.now({ id });
  await bench.now({ id });
  expect(await standing()).toBe("not-proven");
  expect(new Set(keys).size).toBe(1);
  await writeFile(join(path, "pieces.txt"), "other");
  await bench.now({ id });
  expect(await standing()).toBe("damaged");
  expect(new Set(keys).size).toBe(1);
});

test("a manifest that is there before its digest is read again when that comes", async () => {
  await using bench = await startBackup();
  const { path } = (await bench.backUp()).snapshot;
  const digest = join(path, "manifest.sha256");
  await rename(digest, `${digest}.later`);
  expect((await bench.list())[0]?.problem?.code).toBe(
    "BACKUP_SNAPSHOT_CORRUPT",
  );
  await rename(`${digest}.later`, digest);
  expect((await bench.list())[0]?.problem).toBeNull();
});

test("a folder that is half copied is left alone for a day", async () => {
  await using place = await createPlace();
  const { path } = await place.write();
  const copy = join(place.backup, "2026-01-03T00-00-00-000Z");
  await mkdir(copy);
  await cp(join(path, "pieces.txt"), join(copy, "pieces.txt"));
  const now = Date.now();
  const collect = (at: number) => collectUnused(place.folder, { now: at });
  expect((await collect(now)).isHeldBy).toHaveLength(1);
  expect((await collect(now + 25 * HOUR_MS)).leftOvers).toBe(1);
  expect(await readdir(place.backup)).not.toContain("2026-01-03T00-00-00-000Z");
});

test("a snapshot that is not known is not found, also without a folder", async () => {
  await using bench = await startBackup({ hasFolder: false });
  const id = createIdentifier("snap");
  const answers = [
    await bench.now({ id }),
    await bench.restore({ id }),
    await bench.remove(id),
    await bench.kernel.api.post("/api/backup/reveal", { id }),
  ];
  expect(answers).toMatchObject(
    answers.map(() => ({
      status: 404,
      body: { code: "BACKUP_SNAPSHOT_NOT_FOUND" },
    })),
  );
});

test("an archive of the home holds what its kind may hold", async () => {
  for (const names of [
    ["token"],
    ["certificate.json"],
    ["config.json", "token"],
  ]) {
    await using place = await createPlace();
    await writeFile(join(place.home.folder, "config.json"), "{}");
    const { path } = await place.write();
    const tar = forgeTar(
      names.map((name) => ({
        header: { path: name, type: "File" },
        content: Buffer.from("{}"),
      })),
    );
    await forgeArchive(path, "home.files.tar.zst", tar, {
      entries: names.length,
    });
    const checked = openSnapshot(path).then((reader) => reader.check(signal));
    expect(await codeOfRejection(checked)).toMatch(/_INVALID$|_TOO_LARGE$/);
  }
});

test("files of the backup itself are refused", async () => {
  await using place = await createPlace();
  const { path } = await place.write();
  const file = {
    ...{ plugin: "backup", path: "keys/a/identity", mode: 0o600, size: 0 },
    sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    pieces: [],
  };
  await forgeFileList(path, [file], (files) => {
    files.count = 1;
    files.byPlugin = [{ plugin: "backup", files: 1, bytes: 0 }];
  });
  const checked = openSnapshot(path).then((reader) => reader.check(signal));
  expect(await codeOfRejection(checked)).toBe(INVALID);
});

test("a snapshot of the future is never the last one", async () => {
  await using bench = await startBackup();
  const { snapshot } = await bench.backUp();
  const { folder } = bench;
  const forged = join(folder, "gantry-backup", "9999-01-01T00-00-00-000Z");
  await cp(snapshot.path, forged, { recursive: true });
  const id = createIdentifier("snap");
  await forgeManifest(forged, (manifest) => ({
    ...{ ...manifest, id },
    createdAt: "9999-01-01T00:00:00.000Z",
  }));
  expect((await bench.state()).lastSnapshot?.id).toBe(snapshot.id);
  expect((await bench.remove(snapshot.id)).status).toBe(409);
  expect((await bench.remove(snapshot.id, { confirm: true })).status).toBe(200);
  expect((await bench.state()).lastSnapshot).toBeNull();
  expect((await bench.restore({ id })).status).toBe(200);
});

test("the command line picks none of the future", async () => {
  await using bench = await startCommands();
  await bench.save({});
  const { snapshot } = await bench.json<{
    snapshot: { id: string; path: string };
  }>("now");
  const forged = join(
    bench.folder,
    "gantry-backup",
    "9999-01-01T00-00-00-000Z",
  );
  await cp(snapshot.path, forged, { recursive: true });
  await forgeManifest(forged, (manifest) => ({
    ...{ ...manifest, id: createIdentifier("snap") },
    createdAt: "9999-01-01T00:00:00.000Z",
  }));
  const verified = await bench.json<{ snapshot: string }>("verify");
  expect(verified.snapshot).toBe(snapshot.id);
  expect((await bench.run("restore"))[0]).toContain(snapshot.id);
  await rm(snapshot.path, { recursive: true });
  for (const command of ["verify", "restore"])
    await expect(bench.run(command)).rejects.toThrow(/from the future/);
  expect(await readFile(join(forged, "manifest.json"), "utf8")).toContain(
    "9999",
  );
});

test("a snapshot of a later version is refused with both versions named", async () => {
  await using bench = await startBackup();
  const { snapshot } = await bench.backUp();
  const { id, path } = snapshot;
  const text = await readFile(join(path, "manifest.json"), "utf8");
  const changes: [change: object, detail: RegExp][] = [
    [{ gantryVersion: "1.3.0" }, /version 1\.3\.0.*1\.2\.3/],
    [
      { plugins: { agents: "0.10.0" } },
      /"agents" in version 0\.10\.0.*0\.1\.0/,
    ],
  ];
  for (const [change, detail] of changes) {
    await forgeManifest(path, () => ({
      ...(JSON.parse(text) as object),
      ...change,
    }));
    for (const answer of [
      await bench.restore({ id }),
      await bench.restore({ id, preview: true }),
      await bench.now({ id }),
    ])
      expect(answer).toMatchObject({
        status: 400,
        body: {
          code: "BACKUP_SNAPSHOT_TOO_NEW",
          detail: expect.stringMatching(detail) as string,
        },
      });
  }
  const older = { gantryVersion: "1.2.2", plugins: { agents: "0.0.9" } };
  await forgeManifest(path, () => ({
    ...(JSON.parse(text) as object),
    ...older,
  }));
  expect((await bench.restore({ id, preview: true })).status).toBe(200);
});

test("records of a later schema are refused with both versions named", async () => {
  await using bench = await startBackup();
  putRecord(bench.home, "snippets:snippet", "snp_a", { title: "One" });
  bench.home.entries.set("snippets:odd:a", JSON.stringify({ v: 9, data: {} }));
  const { id } = (await bench.backUp()).snapshot;
  expect((await bench.restore({ id, preview: true })).status).toBe(200);
  bench.home.recordVersions = () => ({ "snippets:snippet": 0 });
  for (const answer of [
    await bench.restore({ id }),
    await bench.restore({ id, only: "snippets" }),
    await bench.restore({ id, preview: true }),
    await bench.now({ id }),
  ])
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: "BACKUP_SNAPSHOT_TOO_NEW",
        detail: expect.stringMatching(
          /"snippets:snippet" in version 1.*up to 0/,
        ) as string,
      },
    });
  expect(bench.home.replacements).toEqual([]);
});

test("a config.json that this version refuses ends a restore before anything is done", async () => {
  await using bench = await startBackup();
  putRecord(bench.home, "snippets:snippet", "snp_a", { title: "One" });
  const config = join(bench.home.folder, "config.json");
  await writeFile(config, JSON.stringify({ port: "seven" }));
  const { id } = (await bench.backUp()).snapshot;
  await writeFile(config, "{}");
  expect(await bench.restore({ id })).toMatchObject({
    status: 400,
    body: {
      code: "BACKUP_SNAPSHOT_INVALID",
      detail: expect.stringContaining('"port"') as string,
    },
  });
  expect(await bench.list()).toHaveLength(1);
  expect((await bench.restore({ id, only: "snippets" })).status).toBe(200);
});

test("a snapshot whose manifest is a folder can be deleted", async () => {
  await using bench = await startBackup();
  const { path } = (await bench.backUp()).snapshot;
  const manifest = join(path, "manifest.json");
  await rm(manifest);
  await mkdir(manifest);
  await writeFile(join(manifest, "more"), "");
  const [found] = await bench.list();
  expect((await bench.remove(found!.id)).status).toBe(200);
  expect(await bench.list()).toEqual([]);
});

test("lists of files that did not change are not stored again", async () => {
  await using bench = await startBackup();
  for (let at = 0; at < 20; at++) await bench.fill(`agents/a/${at}`, `${at}`);
  const { ownBytes } = (await bench.backUp()).snapshot;
  const one = (await bench.backUp()).snapshot;
  const other = (await bench.backUp()).snapshot;
  expect(other.ownBytes).toBeLessThan(ownBytes - 20 * 64);
  for (const name of ["pieces.txt", "files.ndjson.zst"]) {
    const inodes = await Promise.all(
      [one, other].map(async ({ path }) => (await stat(join(path, name))).ino),
    );
    expect(inodes[1], name).toBe(inodes[0]);
  }
  await bench.remove(one.id);
  expect((await bench.now({ id: other.id })).status).toBe(200);
});
