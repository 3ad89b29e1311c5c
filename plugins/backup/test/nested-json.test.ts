import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { MockInstance } from "vitest";
import { openSnapshot } from "../src/archive/open-snapshot.ts";
import { forgeArchive, forgeManifest, forgeTar } from "./archive/forge.ts";
import {
  ARCHIVE,
  createSnapshot,
  INVALID,
  NAME,
  refusalOf,
} from "./archive/hostile-support.ts";
import { codeOfRejection } from "./archive/support.ts";
import { startBackup } from "./support/backup-bench.ts";
import { startCommands } from "./support/command-bench.ts";

/** Millions of levels take as many microseconds and more; these show the same. */
const LEVELS = 100_000;
const NESTED = "[".repeat(LEVELS) + "]".repeat(LEVELS);
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const OWN_KEYS = ["backup:other", "backup:settings", "backup:history"];

let parse: MockInstance<typeof JSON.parse>;
beforeEach(() => void (parse = vi.spyOn(JSON, "parse")));
afterEach(() => parse.mockRestore());

/** Texts that were parsed although they are nested so deep. */
const parsedNested = () =>
  parse.mock.calls.filter(([text]) =>
    String(text).replaceAll(STRING, "").includes("[[[["),
  );

const sha256 = (content: Uint8Array) =>
  createHash("sha256").update(content).digest("hex");

test("a restore parses no record of its own that is nested deep", async () => {
  await using bench = await startBackup();
  for (const key of OWN_KEYS) bench.home.entries.set(key, NESTED);
  const { id } = (await bench.backUp()).snapshot;
  expect((await bench.restore({ id })).status).toBe(200);
  expect(bench.home.entries.get("backup:other")).toBe(NESTED);
  const settings = JSON.parse(bench.home.entries.get("backup:settings")!) as {
    folder: string;
  };
  expect(settings.folder).toBe(bench.folder);
  expect(parsedNested()).toEqual([]);
});

test("neither does one by the command line on a new machine", async () => {
  await using old = await startCommands();
  await old.save({});
  for (const key of OWN_KEYS) old.home.entries.set(key, NESTED);
  await old.run("now");
  await using bench = await startCommands();
  const { folder } = old;
  expect((await bench.run("restore", { folder })).at(-1)).toBe(
    "It is restored.",
  );
  const settings = JSON.parse(bench.home.entries.get("backup:settings")!) as {
    folder: string;
  };
  expect(settings.folder).toBe(folder);
  expect(parsedNested()).toEqual([]);
});

test("a preview parses no record that is nested deep, and counts it", async () => {
  await using bench = await startBackup();
  const text = `{"v":1,"data":${NESTED}}`;
  // Not longer than other records with a title.
  const short = `{"v":1,"data":${NESTED.slice(LEVELS / 2, -LEVELS / 2)}}`;
  const texts = { snp_deep: text, snp_short: short };
  for (const [key, value] of Object.entries(texts))
    bench.home.entries.set(`snippets:snippet:${key}`, value);
  const { id } = (await bench.backUp()).snapshot;
  for (const key of Object.keys(texts))
    bench.home.entries.set(`snippets:snippet:${key}`, "{}");
  const { preview } = (await bench.restore({ id, preview: true })).body;
  expect(preview.parts).toMatchObject([
    {
      ...{ name: "snippets", changed: 2 },
      examples: [
        { id: "snp_deep", title: null },
        { id: "snp_short", title: null },
      ],
    },
  ]);
  expect(parsedNested()).toEqual([]);
});

test("a line of a store, of the list of files or a manifest that is nested deep is refused unparsed", async () => {
  await using made = await createSnapshot();
  const { path, place } = made;
  const manifest = await readFile(join(path, "manifest.json"));
  const digest = await readFile(join(path, "manifest.sha256"));
  const content = Buffer.from(`${NESTED}\n`);
  const header = { path: NAME, type: "File" as const };
  await forgeArchive(path, ARCHIVE, forgeTar([{ header, content }]));
  expect(await refusalOf(place, path)).toBe(INVALID);

  await writeFile(join(path, "manifest.json"), manifest);
  await writeFile(join(path, "manifest.sha256"), digest);
  const list = zstdCompressSync(content);
  await writeFile(join(path, "files.ndjson.zst"), list);
  await forgeManifest(path, ({ files }) => {
    Object.assign(files.list, {
      ...{ sha256: sha256(list), bytes: list.length },
      unpackedBytes: content.length,
    });
  });
  const checked = openSnapshot(path).then((reader) =>
    reader.check(new AbortController().signal),
  );
  expect(await codeOfRejection(checked)).toBe(INVALID);

  await writeFile(join(path, "manifest.json"), NESTED);
  await writeFile(
    join(path, "manifest.sha256"),
    `${sha256(Buffer.from(NESTED))}  manifest.json\n`,
  );
  expect(await codeOfRejection(openSnapshot(path))).toBe(INVALID);
  expect(parsedNested()).toEqual([]);
});

test("a config.json that is nested deep ends a restore unparsed", async () => {
  await using bench = await startBackup();
  const { snapshot } = await bench.backUp();
  const { id, path } = snapshot;
  const content = Buffer.from(`{"a":${NESTED}}`);
  const header = { path: "config.json", type: "File" as const };
  await forgeArchive(
    path,
    "home.files.tar.zst",
    forgeTar([{ header, content }]),
    {
      entries: 1,
    },
  );
  expect(await bench.restore({ id })).toMatchObject({
    status: 400,
    body: {
      code: INVALID,
      detail: expect.stringContaining("nested too deep") as string,
    },
  });
  expect(parsedNested()).toEqual([]);
});
