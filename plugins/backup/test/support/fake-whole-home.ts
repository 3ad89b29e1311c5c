import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  HomeReplacement,
  RehearsedPlugin,
  ReplacementResult,
  StoreEntry,
  StoreImage,
  StoreNamespace,
  WholeHome,
} from "@gantry/plugin";

const BATCH_ENTRIES = 100;
const HOME_FILES = ["config.json", "token", "certificate.json"];

/** A home of a folder that is really there and a store that is a map. */
export interface FakeWholeHome extends WholeHome {
  /** The store: whole keys, and values as JSON. Change it as you like. */
  readonly entries: Map<string, string>;
  /** Images that were opened and not closed. */
  openImages: number;
  /** What `replace` was called with. */
  readonly replacements: HomeReplacement[];
  /** What the next rehearsals say. */
  rehearsed: RehearsedPlugin[];
  /** Versions of records that plugins open in the next rehearsals. */
  rehearsedVersions: Record<string, number>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Makes a home in a folder of its own, with the plugin folders in `data`. */
export async function createFakeWholeHome(): Promise<FakeWholeHome> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-home-"));
  const data = join(folder, "data");
  await mkdir(data);
  const entries = new Map<string, string>();
  let last: ReplacementResult | undefined;
  let stages = 0;
  const home: FakeWholeHome = {
    version: "1.2.3",
    folder,
    data,
    entries,
    openImages: 0,
    replacements: [],
    rehearsed: [{ id: "agents", state: "active", reason: null }],
    rehearsedVersions: { "snippets:snippet": 1 },
    plugins: () => ({ agents: "0.1.0", snippets: "0.1.0" }),
    recordVersions: () => ({ "snippets:snippet": 1 }),
    checkConfig(text) {
      const { port = 0 } = JSON.parse(text) as { port?: unknown };
      if (typeof port !== "number")
        throw new TypeError('In config.json, "port": expected number.');
    },
    readStore(signal) {
      signal.throwIfAborted();
      home.openImages++;
      return Promise.resolve(
        toImage(new Map(entries), () => home.openImages--),
      );
    },
    async stage() {
      const stage = join(folder, "stages", String(++stages));
      await mkdir(stage, { recursive: true, mode: 0o700 });
      return stage;
    },
    async replace(replacement) {
      const { beforeReplacing, ...rest } = replacement;
      const note = { ...rest.note, ...(await beforeReplacing?.()) };
      const { mode } = rest;
      await putInPlace(home, rest);
      home.replacements.push({ ...rest, note });
      last = { at: "2026-01-01T00:00:00.000Z", mode, note, failure: null };
    },
    lastReplacement: () => Promise.resolve(last),
    rehearse(_folder, signal) {
      signal.throwIfAborted();
      return Promise.resolve({
        plugins: home.rehearsed,
        recordVersions: home.rehearsedVersions,
      });
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
  return home;
}

/** Entries by namespace, in the order of their keys as bytes. */
export function toImage(
  entries: ReadonlyMap<string, string>,
  onClose: () => void = () => {},
): StoreImage {
  const sorted = [...entries]
    .map(([key, text]): StoreEntry => ({ key, text }))
    .sort((one, other) =>
      Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)),
    );
  const names = [...new Set(sorted.map(({ key }) => namespaceOf(key)))];
  async function* batches(name: string) {
    const own = sorted.filter(({ key }) => namespaceOf(key) === name);
    for (let at = 0; at < own.length; at += BATCH_ENTRIES) {
      await Promise.resolve();
      yield own.slice(at, at + BATCH_ENTRIES);
    }
  }
  async function* namespaces(): AsyncGenerator<StoreNamespace> {
    for (const name of names) {
      await Promise.resolve();
      yield { name, entries: batches(name) };
    }
  }
  let isClosed = false;
  return {
    namespaces: namespaces(),
    close() {
      if (!isClosed) onClose();
      isClosed = true;
      return Promise.resolve();
    },
  };
}

const namespaceOf = (key: string) => key.slice(0, key.indexOf(":"));

async function putInPlace(
  { entries, data, folder }: FakeWholeHome,
  { stage, mode }: HomeReplacement,
): Promise<void> {
  if (mode === "replace") entries.clear();
  for (const name of await namesIn(join(stage, "store"))) {
    const text = await readFile(join(stage, "store", name), "utf8");
    for (const line of text.split("\n").filter(Boolean)) {
      const { key, text: value } = JSON.parse(line) as StoreEntry;
      entries.set(key, value);
    }
  }
  for (const plugin of await namesIn(join(stage, "data"))) {
    const own = join(data, plugin);
    if (mode === "replace") await rm(own, { recursive: true, force: true });
    await cp(join(stage, "data", plugin), own, { recursive: true });
  }
  for (const name of HOME_FILES)
    if ((await namesIn(stage)).includes(name))
      await cp(join(stage, name), join(folder, name));
  await rm(stage, { recursive: true });
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}
