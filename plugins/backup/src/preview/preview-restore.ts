import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { StoreEntry, WholeHome } from "@gantry/plugin";
import { findFiles } from "../archive/find-files.ts";
import { nextTurn } from "../archive/next-turn.ts";
import type { SnapshotReader } from "../archive/open-snapshot.ts";
import type { RestorePart } from "../contract.ts";
import { isConversation } from "../work/keep-conversations.ts";
import { joinEntries, type EntryBatches } from "./join-entries.ts";
import { PartTally, type Change } from "./part-tally.ts";

/** After this many entries, it yields to other work. */
const AT_ONCE = 500;
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

/** What a restore would do to records and files, by part. It changes nothing. */
export async function previewRestore(
  order: PreviewOrder,
): Promise<RestorePart[]> {
  const tally = new PartTally(order.only ?? []);
  await compareStore(order, tally);
  await compareFiles(order, tally);
  return tally.result();
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

async function compareFiles(
  { reader, home, only, signal }: PreviewOrder,
  tally: PartTally,
): Promise<void> {
  const isAsked = (plugin: string) => !only || only.includes(plugin);
  const asked = new Set(
    reader.manifest.files.byPlugin.map(({ plugin }) => plugin).filter(isAsked),
  );
  if (asked.size === 0) return;
  const { files } = await findFiles({
    data: home.data,
    isSkipped: (plugin) => !asked.has(plugin),
    signal,
  });
  const present = new Map(
    files.map((file) => [`${file.plugin}/${file.path}`, file]),
  );
  const add = (plugin: string, path: string, change: Change) =>
    tally.add(plugin, change, () => ({ id: path, title: null }));
  for await (const file of reader.files(signal)) {
    const { plugin, path, size, sha256 } = file;
    if (!asked.has(plugin)) continue;
    const name = `${plugin}/${path}`;
    const found = present.get(name);
    present.delete(name);
    const isSame =
      found?.size === size &&
      (await digestOf(join(home.data, plugin, path), signal)) === sha256;
    add(plugin, path, isSame ? "left" : found ? "changed" : "added");
  }
  const { hasTranscripts } = reader.manifest;
  for (const { plugin, path } of present.values()) {
    const isKept = !hasTranscripts && isConversation(plugin, path);
    add(plugin, path, only || isKept ? "left" : "removed");
  }
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

/** How people know a record, if it says so. */
function toTitle({ text }: StoreEntry): string | null {
  const value = parse(text) as { data?: unknown } | undefined;
  const record = (value?.data ?? value) as
    { title?: unknown; name?: unknown } | undefined;
  for (const title of [record?.title, record?.name])
    if (typeof title === "string" && title !== "") return title.slice(0, 200);
  return null;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
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
