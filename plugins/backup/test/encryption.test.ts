import { spawnSync } from "node:child_process";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { putRecord, startBackup } from "./support/backup-bench.ts";

const PASSPHRASE = "correct horse battery";
const OTHER = "something else entirely";
const WRONG_PASSPHRASE_MS = 1000;

test("secrets go into encrypted snapshots only", async () => {
  await using bench = await startBackup();
  const plain = { status: 400, body: { code: "BACKUP_SECRETS_PLAIN" } };
  expect(await bench.change({ includeSecrets: true })).toMatchObject(plain);
  expect(await bench.state()).toMatchObject({
    isEncrypted: false,
    settings: { includeSecrets: false },
  });
  const both = { includeSecrets: true, passphrase: PASSPHRASE };
  expect(await bench.change(both)).toMatchObject({
    status: 200,
    body: { isEncrypted: true, hasKey: true },
  });
  expect(await bench.change({ passphrase: null })).toMatchObject(plain);
  const { snapshot } = await bench.backUp();
  expect(snapshot).toMatchObject({ isEncrypted: true, hasSecrets: true });
  const neither = { includeSecrets: false, passphrase: null };
  expect(await bench.change(neither)).toMatchObject({
    body: { isEncrypted: false, hasKey: true },
  });
});

test("a passphrase needs a folder", async () => {
  await using bench = await startBackup({ hasFolder: false });
  expect(await bench.change({ passphrase: PASSPHRASE })).toMatchObject({
    status: 409,
    body: { code: "BACKUP_FOLDER_MISSING" },
  });
});

test("the passphrase is neither stored nor logged, and no answer contains it", async () => {
  await using bench = await startBackup();
  await bench.change({ passphrase: PASSPHRASE });
  await bench.backUp({ verify: true });
  const { kernel } = bench;
  const keys = join(kernel.home, "data/backup/keys");
  for (const name of await readdir(keys)) {
    const identity = join(keys, name, "identity");
    expect((await stat(identity)).mode & 0o777).toBe(0o600);
    expect(await readFile(identity, "utf8")).toMatch(/^AGE-SECRET-KEY-1/);
  }
  expect(JSON.stringify(kernel.log)).not.toContain(PASSPHRASE);
  expect(JSON.stringify(kernel.events.all())).not.toContain(PASSPHRASE);
  const names = await readdir(kernel.home, {
    recursive: true,
    withFileTypes: true,
  });
  const files = names.filter((entry) => entry.isFile());
  for (const { name, parentPath } of files) {
    const text = await readFile(join(parentPath, name), "latin1");
    expect(text.includes(PASSPHRASE), name).toBe(false);
  }
});

test("a start removes what a killed daemon left of a key that it was writing", async () => {
  await using bench = await startBackup();
  await bench.change({ passphrase: PASSPHRASE });
  const keys = join(bench.kernel.home, "data/backup/keys");
  const [recipient = ""] = await readdir(keys);
  const names = await readdir(join(keys, recipient));
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const draft = `.identity.${pid}-0123456789ab.tmp`;
  await writeFile(join(keys, recipient, draft), "AGE-SECRET-KEY-1");
  await bench.kernel.restart();
  expect(await readdir(join(keys, recipient))).toEqual(names);
});

test("without its key an encrypted snapshot needs its passphrase", async () => {
  await using bench = await startBackup();
  putRecord(bench.home, "snippets:snippet", "snp_a", { title: "One" });
  await bench.change({ passphrase: PASSPHRASE });
  const { snapshot } = await bench.backUp();
  const { id } = snapshot;
  expect((await bench.now({ id })).status).toBe(200);

  await rm(join(bench.kernel.home, "data/backup/keys"), { recursive: true });
  expect(await bench.state()).toMatchObject({
    isEncrypted: true,
    hasKey: false,
  });
  for (const work of [
    () => bench.now({ id }),
    () => bench.restore({ id }),
    () => bench.restore({ id, preview: true }),
  ])
    expect(await work()).toMatchObject({
      status: 400,
      body: { code: "BACKUP_PASSPHRASE_MISSING" },
    });
  const wrong = await bench.restore({ id, passphrase: OTHER });
  expect(wrong).toMatchObject({
    status: 400,
    body: { code: "BACKUP_PASSPHRASE_WRONG" },
  });
  expect(wrong.body.detail).toContain(id);
  expect(bench.home.replacements).toEqual([]);
  // Making snapshots does not need the secret half of the key.
  expect((await bench.backUp()).snapshot.isEncrypted).toBe(true);

  await bench.kernel.clock.advance(WRONG_PASSPHRASE_MS);
  const right = await bench.restore({ id, passphrase: PASSPHRASE });
  expect(right.status).toBe(200);
  expect((await bench.state()).hasKey).toBe(true);
});

test("another passphrase is that of all snapshots from then on", async () => {
  await using bench = await startBackup();
  await bench.change({ passphrase: PASSPHRASE });
  const { id } = (await bench.backUp()).snapshot;
  expect((await bench.change({ passphrase: OTHER })).status).toBe(200);
  // It did not open the key as it was.
  await bench.kernel.clock.advance(WRONG_PASSPHRASE_MS);
  expect(await bench.now({ id, passphrase: PASSPHRASE })).toMatchObject({
    body: { code: "BACKUP_PASSPHRASE_WRONG" },
  });
  await bench.kernel.clock.advance(WRONG_PASSPHRASE_MS);
  expect((await bench.now({ id, passphrase: OTHER })).status).toBe(200);
});

test("passphrases are tried one at a time, with a pause after a wrong one", async () => {
  await using bench = await startBackup();
  await bench.change({ passphrase: PASSPHRASE });
  const { id } = (await bench.backUp()).snapshot;
  const preview = (passphrase: string) =>
    bench.restore({ id, preview: true, passphrase });
  expect((await preview(OTHER)).body.code).toBe("BACKUP_PASSPHRASE_WRONG");
  const answers: number[] = [];
  const tried = [preview(OTHER), preview(PASSPHRASE)].map(async (answer) =>
    answers.push((await answer).status),
  );
  // What needs none is not held up.
  expect((await bench.state()).job).toBeNull();
  expect(answers).toEqual([]);
  await bench.kernel.clock.advance(WRONG_PASSPHRASE_MS);
  await tried[0];
  expect(answers).toEqual([400]);
  await bench.kernel.clock.advance(WRONG_PASSPHRASE_MS);
  await Promise.all(tried);
  expect(answers).toEqual([400, 200]);
});

test("a folder with snapshots of another key wants its passphrase", async () => {
  await using bench = await startBackup();
  await bench.change({ passphrase: PASSPHRASE });
  await using stranger = await startBackup({ hasFolder: false });
  const { folder } = bench;
  expect(await stranger.change({ folder, passphrase: OTHER })).toMatchObject({
    body: { code: "BACKUP_PASSPHRASE_WRONG" },
  });
  expect((await stranger.state()).settings.folder).toBeNull();
  await stranger.kernel.clock.advance(WRONG_PASSPHRASE_MS);
  expect(
    await stranger.change({ folder, passphrase: PASSPHRASE }),
  ).toMatchObject({ status: 200, body: { isEncrypted: true } });
});

test("a new folder gets the key's file, so that the passphrase opens it elsewhere", async () => {
  await using bench = await startBackup();
  await bench.change({ passphrase: PASSPHRASE });
  const folder = `${bench.folder}-2`;
  expect((await bench.change({ folder })).body).toMatchObject({
    isEncrypted: true,
    hasKey: true,
  });
  const { id } = (await bench.backUp()).snapshot;
  expect((await bench.now({ id, passphrase: PASSPHRASE })).status).toBe(200);

  // After it is removed from the folder, the next snapshot writes it again.
  await rm(join(folder, "gantry-backup/key.age"));
  await bench.backUp();
  expect((await bench.now({ id, passphrase: PASSPHRASE })).status).toBe(200);
});

test("a folder with another key is refused while snapshots are encrypted", async () => {
  await using bench = await startBackup();
  await bench.change({ passphrase: PASSPHRASE });
  await using other = await startBackup();
  await other.change({ passphrase: OTHER });
  const { folder } = other;
  expect(await bench.change({ folder })).toMatchObject({
    status: 400,
    body: { code: "BACKUP_FOLDER_INVALID" },
  });
  expect((await bench.state()).settings.folder).toBe(bench.folder);
});

test("an encrypted list of files that did not change is not stored again", async () => {
  await using bench = await startBackup();
  for (let at = 0; at < 20; at++) await bench.fill(`agents/a/${at}`, `${at}`);
  await bench.change({ passphrase: PASSPHRASE });
  const list = async ({ path }: { path: string }) =>
    await stat(join(path, "files.ndjson.zst.age"));
  const one = (await bench.backUp()).snapshot;
  const two = (await bench.backUp()).snapshot;
  expect((await list(two)).ino).toBe((await list(one)).ino);
  expect(two.ownBytes).toBeLessThan(one.ownBytes);
  await bench.remove(one.id);
  expect((await bench.now({ id: two.id })).status).toBe(200);

  await bench.fill("agents/a/0", "changed");
  const three = (await bench.backUp()).snapshot;
  expect((await list(three)).ino).not.toBe((await list(two)).ino);

  // Only by the secret half can be told that it holds the same.
  await rm(join(bench.kernel.home, "data/backup/keys"), { recursive: true });
  const four = (await bench.backUp()).snapshot;
  expect((await list(four)).ino).not.toBe((await list(three)).ino);
});
