import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { createKey } from "../../src/archive/backup-key.ts";
import { listSnapshots } from "../../src/archive/list-snapshots.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import { createPlace, digestsIn, putFile, sizeOf } from "./support.ts";

const { signal } = new AbortController();

const name = fc
  .stringMatching(/^[a-z0-9ä ._-]{1,12}$/)
  .filter((text) => !/^\.+$/.test(text));
const path = fc.array(name, { minLength: 1, maxLength: 3 });
const homes = fc.record({
  entries: fc.dictionary(
    fc
      .tuple(
        fc.constantFrom("agents", "snippets", "kernel"),
        fc.constantFrom("task", "task~newest", "note"),
        fc.string({ unit: "binary", minLength: 1 }),
      )
      .map((parts) => parts.join(":")),
    fc.oneof(fc.json(), fc.string({ unit: "binary" })),
  ),
  files: fc.dictionary(
    fc
      .tuple(fc.constantFrom("agents", "snippets", "browser"), path)
      .map(([plugin, names]) => [plugin, ...names].join("/").normalize("NFC")),
    fc.uint8Array({ maxLength: 2_000 }),
    { maxKeys: 8 },
  ),
});

test("what is extracted is what was there", async () => {
  await fc.assert(
    fc.asyncProperty(homes, fc.boolean(), async (made, isEncrypted) => {
      await using place = await createPlace();
      for (const [key, text] of Object.entries(made.entries))
        place.home.entries.set(key, text);
      for (const [file, content] of Object.entries(made.files))
        // A file may be where another has its folder.
        await putFile(place, file, content).catch(() => {});
      const key = isEncrypted
        ? await createKey(place.folder, "four words of mine", { workFactor: 2 })
        : undefined;
      const { manifest, path: snapshotPath } = await place.write({
        recipient: key?.recipient,
      });
      const reader = await openSnapshot(snapshotPath, {
        identity: key?.identity,
      });
      await reader.check(signal);
      const stage = await place.home.stage();
      await reader.extract(stage, { signal });
      const before = await digestsIn(place.home.data);
      const entries = new Map(place.home.entries);
      delete before["backup/files-index.ndjson"];
      expect(manifest.leftOut).toBe(0);
      expect(await digestsIn(join(stage, "data"))).toEqual(before);
      expect(manifest.files.count).toBe(Object.keys(before).length);
      place.home.entries.clear();
      await place.home.replace({
        ...{ stage, mode: "replace", keepsSessions: true, note: {} },
      });
      expect(place.home.entries).toEqual(entries);
      expect(place.home.openImages).toBe(0);
    }),
    { numRuns: runs(30) },
  );
});

test("a list of snapshots has the newest first", async () => {
  await using place = await createPlace();
  const one = await place.write();
  const two = await place.write({ createdAt: one.manifest.createdAt });
  const three = await place.write();
  const listed = await listSnapshots(place.folder);
  expect(listed.map(({ manifest }) => manifest?.id)).toEqual(
    [three, two, one].map(({ manifest }) => manifest.id),
  );
  expect(listed.map(({ problem }) => problem)).toEqual([null, null, null]);
  expect(await readdir(one.path)).toEqual([
    ...["files.ndjson.zst", "home.files.tar.zst"],
    ...["manifest.json", "manifest.sha256", "pieces.txt"],
  ]);
});

test(
  "a file of many pieces comes back, and an append costs its end",
  { tags: "thorough" },
  async () => {
    await using place = await createPlace();
    const content = Buffer.alloc(21_000_000, 0);
    for (let at = 0; at < content.length; at += 4)
      content.writeUInt32LE((Math.imul(at, 2654435761) ^ (at >> 3)) >>> 0, at);
    await putFile(place, "agents/transcripts/a.jsonl", content);
    const first = await place.write();
    expect(first.manifest.files.pieces).toBe(6);
    const before = await sizeOf(place.backup);
    await putFile(
      place,
      "agents/transcripts/a.jsonl",
      Buffer.concat([content, Buffer.from("a line\n")]),
    );
    const { manifest, path: made } = await place.write();
    const grown = (await sizeOf(place.backup)) - before;
    expect(grown).toBeLessThan(150_000);
    expect(manifest.ownBytes).toBeLessThan(150_000);
    expect(grown - manifest.ownBytes).toBeLessThan(5_000);
    const reader = await openSnapshot(made);
    const stage = await place.home.stage();
    await reader.extract(stage, { signal });
    const back = await readFile(join(stage, "data/agents/transcripts/a.jsonl"));
    expect(back.subarray(content.length).toString()).toBe("a line\n");
    expect(back.subarray(0, content.length).equals(content)).toBe(true);
  },
);
