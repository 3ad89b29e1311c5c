import {
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createKey,
  openKey,
  replacePassphrase,
} from "../src/archive/backup-key.ts";
import { createKeyRing } from "../src/keys/key-ring.ts";
import type { NowAnswer } from "../src/routes/inputs.ts";
import { startBackup, type BackupBench } from "./support/backup-bench.ts";
import { startCommands } from "./support/command-bench.ts";

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

test("a key that is damaged here as well is reported, and the passphrase brings it back", async () => {
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

describe("after encryption was turned off", () => {
  /** A bench with one encrypted snapshot, whose next ones are plain. */
  async function turnOff() {
    const off = await startBackup();
    await off.change({ passphrase: PASSPHRASE });
    const { id } = (await off.backUp()).snapshot;
    await off.change({ passphrase: null });
    const key = join(off.folder, "gantry-backup/key.age");
    return { off, id, key };
  }

  test("the key of earlier snapshots is put back by a verification, and by the next snapshot", async () => {
    const { off, id, key } = await turnOff();
    await using _ = off;
    const before = await readFile(key, "base64");
    for (const work of [{ id }, {}])
      for (const damage of [() => writeFile(key, ""), () => rm(key)]) {
        await damage();
        expect((await off.now(work)).status).toBe(200);
        expect(await readFile(key, "base64")).toBe(before);
      }
  });

  test("with neither copy of it, a verification fails, snapshots are made, and the passphrase brings it back", async () => {
    const { off, id, key } = await turnOff();
    await using _ = off;
    const { recipient } = (await openKey(off.folder, PASSPHRASE))!;
    const ring = join(off.kernel.home, "data/backup/keys", recipient);
    for (const file of [key, join(ring, "key.age")]) await rm(file);
    expect(await off.now({ id })).toMatchObject({
      status: 503,
      body: { code: "BACKUP_FOLDER_UNAVAILABLE" },
    });
    expect((await off.now()).status).toBe(200);
    await off.change({ passphrase: PASSPHRASE });
    expect((await openKey(off.folder, PASSPHRASE))?.recipient).toBe(recipient);
    expect((await off.now({ id })).status).toBe(200);
  });

  test("the command line puts it back as well", async () => {
    await using stopped = await startCommands();
    const { folder, home } = stopped;
    const key = await createKey(folder, PASSPHRASE, { workFactor: 10 });
    await createKeyRing(join(home.data, "backup")).keep(key, folder);
    await stopped.save({ recipient: key.recipient });
    const { snapshot } = await stopped.json<NowAnswer>("now");
    await stopped.save({ recipient: null });
    const path = join(folder, "gantry-backup/key.age");
    const before = await readFile(path, "base64");
    await writeFile(path, "");
    await stopped.run("verify", { id: snapshot.id });
    expect(await readFile(path, "base64")).toBe(before);
    await rm(path);
    await stopped.run("now");
    expect(await readFile(path, "base64")).toBe(before);
  });
});

const readRing = () => readdir(join(bench.kernel.home, "data/backup/keys"));
