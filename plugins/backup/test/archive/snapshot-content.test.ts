import {
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createKey } from "../../src/archive/backup-key.ts";
import { openSnapshot } from "../../src/archive/open-snapshot.ts";
import {
  codeOfRejection,
  createPlace,
  digestsIn,
  extract,
  noise,
  putFile,
} from "./support.ts";

const { signal } = new AbortController();

test("snapshots for another key share no content", async () => {
  await using place = await createPlace();
  await putFile(place, "agents/a", noise(10_000, 1));
  const plain = await place.write();
  const key = await createKey(place.folder, "some words", { workFactor: 2 });
  const encrypted = await place.write({ recipient: key.recipient });
  const again = await place.write({ recipient: key.recipient });
  expect(encrypted.manifest.ownBytes).toBeGreaterThan(10_000);
  expect(again.manifest.ownBytes).toBeLessThan(10_000);
  const names = Object.keys(await digestsIn(join(place.backup, "files")));
  expect(names.map((name) => name.replace(/^.*?\./, "."))).toEqual([
    ...[".zst", ".zst.age"],
  ]);
  await extract(place, plain.path);
  // No name of a file is to be read without the key, be it one that was left out.
  await putFile(place, "agents/secret\\plan", "text");
  const last = await place.write({ recipient: key.recipient });
  for (const name of await readdir(last.path)) {
    const content = await readFile(join(last.path, name), "latin1");
    expect(content).not.toContain("plan");
  }
  expect(last.manifest.notes[0]?.path).toBe("agents");
});

test("secrets are copied into encrypted snapshots only", async () => {
  await using place = await createPlace();
  const { folder } = place.home;
  await writeFile(join(folder, "token"), "the token");
  await writeFile(join(folder, "certificate.json"), "{}");
  const config = '{"settings":{"a":{"apiKey":"abc","port":1}}}';
  await writeFile(join(folder, "config.json"), config);
  expect(await codeOfRejection(place.write({ includeSecrets: true }))).toBe(
    "BACKUP_SECRETS_PLAIN",
  );
  const plain = await place.write();
  const bare = await extract(place, plain.path);
  expect(await readdir(bare)).toEqual(["config.json"]);
  const text = await readFile(join(bare, "config.json"), "utf8");
  expect(JSON.parse(text)).toEqual({ settings: { a: { port: 1 } } });
  expect(plain.manifest.withheld).toEqual(["/settings/a/apiKey"]);
  const filled = await place.home.stage();
  const reader = await openSnapshot(plain.path);
  const currentConfig = '{"settings":{"a":{"apiKey":"new","port":2}}}';
  await reader.extract(filled, { signal, currentConfig });
  expect(
    JSON.parse(await readFile(join(filled, "config.json"), "utf8")),
  ).toEqual({ settings: { a: { port: 1, apiKey: "new" } } });

  const key = await createKey(place.folder, "some words", { workFactor: 2 });
  const { path } = await place.write({
    ...{ includeSecrets: true, recipient: key.recipient },
  });
  const stage = await place.home.stage();
  const opened = await openSnapshot(path, { identity: key.identity });
  await opened.extract(stage, { signal });
  expect((await readdir(stage)).sort()).toEqual([
    ...["certificate.json", "config.json", "token"],
  ]);
  expect(await readFile(join(stage, "config.json"), "utf8")).toBe(config);
});

test("a part is extracted alone", async () => {
  await using place = await createPlace();
  for (const key of ["run:1", "run~newest:1", "automation:1", "runner:1"])
    place.home.entries.set(`automations:${key}`, "{}");
  place.home.entries.set("snippets:snippet:1", "{}");
  await putFile(place, "automations/a", "text");
  await putFile(place, "snippets/a", "text");
  const { path } = await place.write();
  const reader = await openSnapshot(path);
  const extracted = async (parts: string[]) => {
    const stage = await place.home.stage();
    await reader.extract(stage, { parts, signal });
    return stage;
  };
  const one = await extracted(["automations:run"]);
  expect(Object.keys(await digestsIn(one))).toEqual([
    "store/automations.ndjson",
  ]);
  expect(await readFile(join(one, "store/automations.ndjson"), "utf8")).toBe(
    '{"key":"automations:run:1","text":"{}"}\n',
  );
  const two = await extracted(["snippets"]);
  expect(Object.keys(await digestsIn(two))).toEqual([
    ...["data/snippets/a", "store/snippets.ndjson"],
  ]);
  const three = await extracted(["unknown", "automations:nothing"]);
  expect(Object.keys(await digestsIn(three))).toEqual([]);
  const entries = [];
  for await (const batch of reader.entries("automations"))
    entries.push(...batch);
  expect(entries).toHaveLength(4);
  const full = await place.home.stage();
  await mkdir(join(full, "data"));
  await expect(reader.extract(full, { signal })).rejects.toThrow(TypeError);
});

test(
  "a store that compresses very well is not taken for a bomb",
  { tags: "thorough" },
  async () => {
    await using place = await createPlace();
    // 60 MB that compress to some kilobytes.
    for (let index = 0; index < 60; index++)
      place.home.entries.set(
        `snippets:snippet:${index}`,
        "a".repeat(1_000_000),
      );
    const { manifest, path } = await place.write();
    const stored = manifest.archives.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(stored).toBeLessThan(200_000);
    await extract(place, path);
  },
);

test("a configuration that is a link is copied, and a broken link is counted as left out", async () => {
  await using place = await createPlace();
  const { folder } = place.home;
  await writeFile(join(place.folder, "settings"), '{"port":7421}');
  const config = join(folder, "config.json");
  const { path } = await place.write();
  expect(Object.keys(await digestsIn(await extract(place, path)))).toEqual([]);
  await symlink(join(place.folder, "settings"), config);
  const linked = await place.write();
  expect(linked.manifest.leftOut).toBe(0);
  const stage = await extract(place, linked.path);
  const text = await readFile(join(stage, "config.json"), "utf8");
  expect(JSON.parse(text)).toEqual({ port: 7421 });
  const others: [string, () => Promise<unknown>][] = [
    ["it is a broken link", () => symlink("nowhere", config)],
    ["it is a symbolic link", () => symlink("config.json", config)],
    ["it is not a plain file", () => symlink(place.folder, config)],
    ["it is not a plain file", () => mkdir(config)],
  ];
  for (const [reason, make] of others) {
    await rm(config, { recursive: true });
    await make();
    const { manifest } = await place.write();
    expect(manifest.notes).toEqual([{ path: "config.json", reason }]);
  }
});
