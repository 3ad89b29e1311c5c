import {
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openKey, replacePassphrase } from "../src/archive/backup-key.ts";
import { startBackup, type BackupBench } from "./support/backup-bench.ts";

const PASSPHRASE = "correct horse battery";

let bench: BackupBench;
/** The file of the key in the backup folder. */
let file: string;
let content: Buffer;

beforeAll(async () => {
  bench = await startBackup();
  await bench.change({ passphrase: PASSPHRASE });
  file = join(bench.folder, "gantry-backup/key.age");
  content = await readFile(file);
});
afterAll(() => bench[Symbol.asyncDispose]());

const without = async (path: string) =>
  await rm(path, { recursive: true, force: true });
const digest = () => file.replace("key.age", "key.sha256");

const DAMAGE: [string, () => Promise<unknown>][] = [
  ["is emptied", () => writeFile(file, "")],
  [
    "has another byte",
    () => writeFile(file, Buffer.from(content).fill(1, 200, 201)),
  ],
  ["is cut off", () => writeFile(file, content.subarray(0, 100))],
  ["has other content", () => writeFile(file, "something else entirely\n")],
  ["is far too large", () => writeFile(file, Buffer.alloc(100_000))],
  ["is gone", () => without(file)],
  ["is a link", () => without(file).then(() => symlink("/dev/null", file))],
  [
    "is a folder",
    () =>
      without(file).then(() => mkdir(join(file, "a/b"), { recursive: true })),
  ],
  [
    "is gone with its digest",
    () => without(file).then(() => without(digest())),
  ],
  ["has a digest that is damaged", () => writeFile(digest(), "")],
  [
    "has a folder for a digest",
    () => without(digest()).then(() => mkdir(digest())),
  ],
];

test.each(DAMAGE)(
  "a file of the key that %s is put back by the next snapshot, and by a verification",
  async (_, damage) => {
    const { id } = (await bench.backUp()).snapshot;
    for (const work of [{}, { id }]) {
      await damage();
      expect((await bench.now(work)).status).toBe(200);
      expect(
        (await openKey(bench.folder, PASSPHRASE))?.recipient,
      ).toBeDefined();
    }
  },
);

test("a key that is damaged here as well is told of, and the passphrase brings it back", async () => {
  const [recipient] = await readRing();
  const kept = join(
    bench.kernel.home,
    "data/backup/keys",
    recipient!,
    "key.age",
  );
  const { id } = (await bench.backUp()).snapshot;
  await writeFile(kept, "");
  await writeFile(file, "");
  for (const work of [{}, { id }])
    expect(await bench.now(work)).toMatchObject({
      status: 503,
      body: {
        code: "BACKUP_FOLDER_UNAVAILABLE",
        detail: expect.stringContaining("set the passphrase again") as string,
      },
    });
  expect((await bench.change({ passphrase: PASSPHRASE })).status).toBe(200);
  expect((await bench.now({ id })).status).toBe(200);
  const key = await openKey(bench.folder, PASSPHRASE);
  expect(key?.recipient).toBe(recipient);
});

test("a passphrase that was changed elsewhere stays", async () => {
  const key = await openKey(bench.folder, PASSPHRASE);
  await replacePassphrase(bench.folder, key!, "another one", {
    workFactor: 10,
  });
  await bench.backUp();
  expect((await openKey(bench.folder, "another one"))?.recipient).toBe(
    key?.recipient,
  );
});

const readRing = () => readdir(join(bench.kernel.home, "data/backup/keys"));
