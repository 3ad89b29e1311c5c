import { link, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import { createPlace, MIB, noise, putFile } from "./support.ts";

const GIB = 1024 * MIB;

test(
  "a file of more than 16 GiB with content in it is in the snapshot, also as the first one",
  { tags: "thorough" },
  async () => {
    await using place = await createPlace();
    await putFile(place, "agents/a", noise(100 * MIB, 1));
    await truncate(join(place.home.data, "agents/a"), 17 * GIB);
    const { manifest, path } = await place.write();
    expect(manifest).toMatchObject({ leftOut: 0, files: { bytes: 17 * GIB } });
    await openSnapshot(path);
  },
);

test(
  "files with room on the disk and next to nothing in them are left out beyond 16 GiB, so that the snapshot can be read",
  { tags: "thorough" },
  async () => {
    await using place = await createPlace();
    await putFile(place, "agents/a/0", Buffer.alloc(4 * MIB));
    const file = join(place.home.data, "agents/a/0");
    const fits = (16 * GIB) / (4 * MIB);
    for (let number = 1; number < fits + 3; number++)
      await link(file, join(place.home.data, `agents/a/${number}`));
    await writeFile(join(place.home.data, "agents/b"), noise(1_000, 1));
    const { manifest, path } = await place.write();
    expect(manifest.files.bytes).toBe(16 * GIB);
    expect(manifest.leftOut).toBe(4);
    await openSnapshot(path);
  },
);
