import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { StoreEntry, WholeHome } from "@gantry/plugin";
import type {
  ListedEntry,
  ListedFile,
  ListedLink,
} from "../archive/file-list.ts";
import { findFiles, type FoundFile } from "../archive/find-files.ts";
import { nextTurn } from "../archive/next-turn.ts";
import type { SnapshotReader } from "../archive/open-snapshot.ts";
import { parseShallow } from "../archive/parse-shallow.ts";
import { foreseeTooMuch } from "../archive/too-much.ts";
import type { RestorePreview } from "../contract.ts";
import { listKept, TakenPaths } from "../work/kept-paths.ts";
import { refuseConflicts } from "../work/refuse-conflicts.ts";
import { joinEntries, type EntryBatches } from "./join-entries.ts";
import { PartTally, type Change } from "./part-tally.ts";

/** Entries compared at once, before other work runs. */
const AT_ONCE = 500;
const MAX_TITLED_CHARACTERS = 128 * 1024;
/** Records of the home itself mean nothing to a user, and those of the backup stay. */
const NOT_SHOWN: readonly string[] = ["kernel", "backup"];

/** What is compared. */
export interface PreviewOrder {
  reader: SnapshotReader;
  home: WholeHome;
  /** Names of parts; `undefined` for all. */
  only: readonly string[] | undefined;
  signal: AbortSignal;
}

/**
 * What a restore would do to records and files, by part. It changes nothing.
 *
 * @throws BACKUP_PATH_TAKEN, what reading a snapshot throws
 */
export async function previewRestore(
  order: PreviewOrder,
): Promise<Pick<RestorePreview, "parts" | "unsaved">> {
  const { reader, home, only, signal } = order;
  if (only) await refuseConflicts(reader, home, only, signal);
  const tally = new PartTally(only ?? []);
  await compareStore(order, tally);
  const unsaved = await compareFiles(order, tally);
  return { parts: tally.result(), unsaved };
}

async function compareStore(
  order: PreviewOrder,
  tally: PartTally,
): Promise<void> {
  const { reader, home, only, signal } = order;
  const isAsked = (namespace: string) =>
    !NOT_SHOWN.includes(namespace) &&
    (!only || only.some((name) => pluginOf(name) === namespace));
  const kept = new Set(
    reader.manifest.namespaces.map(({ name }) => name).filter(isAsked),
  );
  const image = await home.readStore(signal);
  try {
    for await (const { name, entries } of image.namespaces) {
      if (!isAsked(name)) continue;
      const old = kept.delete(name) ? reader.entries(name, signal) : nothing();
      await compareEntries(order, tally, name, old, entries);
    }
    for (const name of kept)
      await compareEntries(
        order,
        tally,
        name,
        reader.entries(name, signal),
        nothing(),
      );
  } finally {
    await image.close();
  }
}

async function compareEntries(
  { only, signal }: PreviewOrder,
  tally: PartTally,
  namespace: string,
  kept: EntryBatches,
  present: EntryBatches,
): Promise<void> {
  let count = 0;
  for await (const pair of joinEntries(kept, present)) {
    if (++count % AT_ONCE === 0) await nextTurn();
    signal.throwIfAborted();
    const entry = pair.kept ?? pair.present;
    const { collection, id } = readKey(entry.key, namespace);
    // Index entries are rebuilt from the records.
    if (collection.includes("~")) continue;
    const change = changeOf(
      pair.kept?.text,
      pair.present?.text,
      only === undefined,
    );
    const example = () => ({ id, title: toTitle(entry) });
    for (const name of [namespace, `${namespace}:${collection}`])
      if (only ? only.includes(name) : name === namespace)
        tally.add(name, change, example);
  }
}

/** @returns how much stays that no snapshot like this one holds */
async function compareFiles(
  { reader, home, only, signal }: PreviewOrder,
  tally: PartTally,
): Promise<number> {
  const isAsked = (plugin: string) => !only || only.includes(plugin);
  const asked = new Set(
    reader.manifest.files.byPlugin.map(({ plugin }) => plugin).filter(isAsked),
  );
  if (asked.size === 0) return 0;
  const found = await findFiles({
    data: home.data,
    isSkipped: (plugin) => !asked.has(plugin),
    signal,
  });
  const present = new Map(
    [...found.files, ...found.links].map((entry) => [pathOf(entry), entry]),
  );
  const kept = listKept(reader.manifest, found, foreseeTooMuch(found));
  const unsaved = new Set(kept.unsaved);
  /** Of these, what has been counted. */
  const compared = new Set<string>();
  const taken = new TakenPaths();
  const add = ({ plugin, path }: Placed, change: Change) =>
    tally.add(plugin, change, () => ({ id: path, title: null }));
  for await (const entry of reader.files(signal)) {
    if (!asked.has(entry.plugin)) continue;
    taken.add(entry);
    // A folder holds nothing by itself.
    if ("folder" in entry) continue;
    const name = pathOf(entry);
    const here = present.get(name);
    if (present.delete(name) && unsaved.has(name)) compared.add(name);
    const isSame = here && (await isSameFile(entry, here, home.data, signal));
    add(entry, isSame ? "left" : here ? "changed" : "added");
  }
  const staysHere = new Set([...unsaved, ...kept.conversations]);
  for (const entry of present.values()) {
    const isKept = staysHere.has(pathOf(entry)) && !taken.has(pathOf(entry));
    add(entry, only || isKept ? "left" : "removed");
  }
  let staying = 0;
  for (const path of unsaved) {
    // Parts are merged, and replace what is at the same path alone.
    const isTaken = only ? taken.hasEnd(path) : taken.has(path);
    const plugin = path.split("/", 1)[0]!;
    if (!isTaken && asked.has(plugin)) staying++;
    if (isTaken && !present.has(path) && !compared.has(path))
      add({ plugin, path: path.slice(plugin.length + 1) }, "removed");
  }
  return staying;
}

type Placed = Pick<ListedEntry, "plugin" | "path">;

const pathOf = ({ plugin, path }: Placed) => `${plugin}/${path}`;

async function isSameFile(
  kept: ListedFile | ListedLink,
  present: FoundFile | ListedLink,
  data: string,
  signal: AbortSignal,
): Promise<boolean> {
  if ("link" in kept) return "link" in present && present.link === kept.link;
  if ("link" in present || present.size !== kept.size) return false;
  return (await digestOf(join(data, pathOf(kept)), signal)) === kept.sha256;
}

function changeOf(
  kept: string | undefined,
  present: string | undefined,
  isWhole: boolean,
): Change {
  if (kept === present) return "left";
  if (present === undefined) return "added";
  if (kept !== undefined) return "changed";
  return isWhole ? "removed" : "left";
}

/** The plugin of a part, such as `automations` of `automations:run`. */
export function pluginOf(part: string): string {
  return part.split(":", 1)[0]!;
}

function readKey(
  key: string,
  namespace: string,
): { collection: string; id: string } {
  const rest = key.slice(namespace.length + 1);
  const at = rest.indexOf(":");
  return at < 0
    ? { collection: rest, id: rest }
    : { collection: rest.slice(0, at), id: rest.slice(at + 1) };
}

/** How people know a record, if it says so and is not very long. */
function toTitle({ text }: StoreEntry): string | null {
  // A long one takes long to parse, for its title alone.
  if (text.length > MAX_TITLED_CHARACTERS) return null;
  const value = parse(text) as { data?: unknown } | undefined;
  const record = (value?.data ?? value) as
    { title?: unknown; name?: unknown } | undefined;
  for (const title of [record?.title, record?.name])
    if (typeof title === "string" && title !== "") return title.slice(0, 200);
  return null;
}

function parse(text: string): unknown {
  try {
    const value = parseShallow(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

async function digestOf(
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash, { signal });
    return hash.digest("hex");
  } catch (error) {
    signal.throwIfAborted();
    // It was removed or may not be read: to restore it changes it.
    if ((error as NodeJS.ErrnoException).syscall) return undefined;
    throw error;
  }
}

async function* nothing(): EntryBatches {}
