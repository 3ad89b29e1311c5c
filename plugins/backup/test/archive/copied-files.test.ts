import { execFile } from "node:child_process";
import {
  appendFile,
  link,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isFile } from "../../src/archive/file-list.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import {
  codeOfRejection,
  createPlace,
  digestsIn,
  extract,
  MIB,
  noise,
  putFile,
} from "./support.ts";

const { signal } = new AbortController();
const run = promisify(execFile);

test("only files are copied, and no link is followed", async () => {
  await using place = await createPlace();
  const { data, folder } = place.home;
  await writeFile(join(folder, "token"), "secret");
  await putFile(place, "agents/a", "text");
  await putFile(place, "backup/key", "never copied");
  await link(join(data, "agents/a"), join(data, "agents/b"));
  await symlink(join(folder, "token"), join(data, "agents/c"));
  await symlink(folder, join(data, "agents/d"));
  await symlink(folder, join(data, "elsewhere"));
  await run("mkfifo", [join(data, "agents/e")]);
  await putFile(place, "agents/f\\g", "text");
  await putFile(place, "agents/H", "text");
  await putFile(place, "agents/h", "text");
  await putFile(place, "loose", "text");
  const server = createServer();
  const socket = join(data, "agents", "i");
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  try {
    const { manifest, path } = await place.write();
    expect(manifest.leftOut).toBe(8);
    expect(manifest.notes.map((note) => note.path).sort()).toEqual([
      ...["agents/c", "agents/d", "agents/e", "agents/f\\g", "agents/h"],
      ...["agents/i", "elsewhere", "loose"],
    ]);
    const stage = await extract(place, path);
    expect(Object.keys(await digestsIn(stage))).toEqual([
      ...["data/agents/H", "data/agents/a", "data/agents/b"],
    ]);
  } finally {
    server.close();
  }
});

test("conversations are copied only if asked for", async () => {
  await using place = await createPlace();
  await putFile(place, "agents/transcripts/a.jsonl", "text");
  await putFile(place, "agents/attachments/a-0", "picture");
  await putFile(place, "agents/sessions/a/extra-prompt.md", "be brief");
  await putFile(place, "snippets/transcripts/a", "not a conversation");
  const { manifest, path } = await place.write({ includeTranscripts: false });
  expect(manifest).toMatchObject({ hasTranscripts: false, leftOut: 0 });
  const files: string[] = [];
  for await (const file of (await openSnapshot(path)).files())
    if (isFile(file)) files.push(`${file.plugin}/${file.path}`);
  expect(files).toEqual([
    ...["agents/sessions/a/extra-prompt.md", "snippets/transcripts/a"],
  ]);
});

test(
  "a file that grows is copied as it was, one that is gone is left out",
  { tags: "thorough" },
  async () => {
    await using place = await createPlace();
    const content = noise(9 * MIB, 3);
    await putFile(place, "agents/a-first", noise(8 * MIB, 1));
    await putFile(place, "agents/b-grows", content);
    await putFile(place, "agents/c-shrinks", noise(9 * MIB, 4));
    await putFile(place, "agents/d-goes", "text");
    const at = (name: string) => join(place.home.data, "agents", name);
    const changes: Promise<void>[] = [];
    const once = (
      name: string,
      isTime: boolean,
      change: () => Promise<void>,
    ) => {
      if (!isTime || done.has(name)) return;
      done.add(name);
      changes.push(change());
    };
    const done = new Set<string>();
    const { manifest, path } = await place.write({
      onProgress({ doneBytes }) {
        once("goes", doneBytes > MIB, () => rm(at("d-goes")));
        once("grows", doneBytes > 10 * MIB, () =>
          appendFile(at("b-grows"), noise(6 * MIB, 5)),
        );
        once("shrinks", doneBytes > 19 * MIB, () =>
          truncate(at("c-shrinks"), 5 * MIB),
        );
      },
    });
    await Promise.all(changes);
    expect(manifest.notes).toEqual([
      { path: "agents/d-goes", reason: "it was removed meanwhile" },
    ]);
    const stage = await extract(place, path);
    const back = (name: string) => readFile(join(stage, "data/agents", name));
    expect((await back("b-grows")).equals(content)).toBe(true);
    expect((await back("c-shrinks")).length).toBe(5 * MIB);
    // What changed while it was read is read again the next time.
    const second = await place.write();
    const after = join(await extract(place, second.path), "data/agents");
    expect(await digestsIn(after)).toEqual(
      await digestsIn(join(place.home.data, "agents")),
    );
  },
);

test("a file that is not changed is not read again, and one of the same size is", async () => {
  await using place = await createPlace();
  await putFile(place, "agents/same", noise(MIB, 1));
  await putFile(place, "agents/other", noise(MIB, 2));
  await place.write();
  // Without its content nothing can be read of it.
  const path = join(place.home.data, "agents/same");
  await putFile(place, "agents/other", noise(MIB, 3));
  let mostBytes = 0;
  const read: number[] = [];
  const second = await place.write({
    onProgress({ doneBytes }) {
      read.push(doneBytes - mostBytes);
      mostBytes = doneBytes;
    },
  });
  // One step for all that is known already.
  expect(read).toEqual([MIB, MIB]);
  expect(second.manifest.files.pieces).toBe(2);
  expect(second.manifest.ownBytes).toBeGreaterThan(MIB);
  expect(second.manifest.ownBytes).toBeLessThan(MIB + 10_000);
  await extract(place, second.path);
  // An index of another snapshot, or one that was damaged, is not relied on.
  const index = join(place.home.data, "backup/files-index.ndjson");
  const text = await readFile(index, "utf8");
  const sha256 = second.manifest.files.pieceList.sha256;
  await writeFile(index, text.replace(/[0-9a-f]{64}/, sha256));
  await extract(place, (await place.write()).path);
  await rm(path);
  const third = await place.write();
  expect(third.manifest.files.count).toBe(1);
});

test("content that went missing is written again", async () => {
  await using place = await createPlace();
  await putFile(place, "agents/a", noise(1_000, 1));
  await putFile(place, "agents/b", noise(1_000, 2));
  await place.write();
  const files = join(place.backup, "files");
  const [one, two] = Object.keys(await digestsIn(files)) as [string, string];
  await rm(join(files, one));
  await truncate(join(files, two), 10);
  await extract(place, (await place.write()).path);
  // Damage that keeps the size is found by a check only; after that all is written again.
  await writeFile(
    join(files, two),
    Buffer.alloc((await readFile(join(files, two))).length),
  );
  const third = await place.write();
  const check = async () => (await openSnapshot(third.path)).check(signal);
  expect(await codeOfRejection(check())).toBe("BACKUP_SNAPSHOT_CORRUPT");
  await extract(place, (await place.write({ rewrites: true })).path);
  // Older ones are whole again too, since content is kept once.
  expect(await codeOfRejection(check())).toBeUndefined();
});
