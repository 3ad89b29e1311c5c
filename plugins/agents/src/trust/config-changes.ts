import { createHash } from "node:crypto";
import { toVisibleText } from "@gantry/plugin";
import type { TrustedEntry, TrustedFile } from "../records/trust-record.ts";

/** A file of configuration as it is now. */
export interface ConfigFile {
  /** From the top of the working tree on, else from the working folder on; absolute above that. */
  name: string;
  digest: string;
  /** What is in it, if it is a small JSON file. */
  text?: string;
}

const MAX_STORED_FILES = 300;
const MAX_STORED_ENTRIES = 1000;
const MAX_NAME_LENGTH = 300;
const MAX_SHOWN_LENGTH = 120;
const MAX_SHOWN_CHANGES = 5;
const MAX_DEPTH = 6;
/** Members whose values are shown. Others may hold keys and passwords. */
const SHOWN_VALUES = /^permissions\./;

interface Entry extends TrustedEntry {
  /** Its value, if that is a text that may be shown. */
  value?: string;
}

/** What is stored of trusted files, to tell later what has changed: digests, and paths of entries, but no value. */
export function toTrustedFiles(files: readonly ConfigFile[]): TrustedFile[] {
  let left = MAX_STORED_ENTRIES;
  return files
    .filter(({ name }) => name.length <= MAX_NAME_LENGTH)
    .slice(0, MAX_STORED_FILES)
    .map(({ name, digest, text }) => {
      const entries = toEntries(text);
      if (!entries || entries.length > left) return { name, digest };
      left -= entries.length;
      const stored = entries.map(({ value: _, ...entry }) => entry);
      return { name, digest, entries: stored };
    });
}

/**
 * Says how files differ from those that were trusted, in words that are safe to show.
 *
 * @returns an item for each file that is new, gone or changed
 */
export function listChanges(
  trusted: readonly TrustedFile[],
  files: readonly ConfigFile[],
): string[] {
  const before = new Map(trusted.map((file) => [file.name, file]));
  const names = new Set(files.map(({ name }) => name));
  const changes = files.flatMap((file) => {
    const name = toShown(file.name);
    const known = before.get(file.name);
    if (!known) return [`${name} is new`];
    if (known.digest === file.digest) return [];
    const entries = listEntryChanges(known.entries, toEntries(file.text));
    return [entries ? `${name}: ${entries}` : `${name} has changed`];
  });
  const gone = trusted.filter(({ name }) => !names.has(name));
  return [...changes, ...gone.map(({ name }) => `${toShown(name)} is gone`)];
}

/** The first few items in one line, and how many more there are. */
export function joinFew(items: readonly string[]): string {
  const more = items.length - MAX_SHOWN_CHANGES;
  const few = items.slice(0, MAX_SHOWN_CHANGES).join(", ");
  return more > 0 ? `${few}, and ${more} more` : few;
}

/** `undefined` if it cannot be told which entries changed. */
function listEntryChanges(
  trusted: readonly TrustedEntry[] | undefined,
  current: readonly Entry[] | undefined,
): string | undefined {
  if (!trusted || !current) return undefined;
  const idOf = (entry: TrustedEntry) => `${entry.digest} ${entry.path}`;
  const before = new Set(trusted.map(idOf));
  const now = new Set(current.map(idOf));
  const added = current.filter((entry) => !before.has(idOf(entry)));
  const removed = trusted.filter((entry) => !now.has(idOf(entry)));
  const isChange = (entry: TrustedEntry, others: readonly TrustedEntry[]) =>
    !entry.isItem && others.some(({ path }) => path === entry.path);
  const changes = [
    ...added.map((entry) =>
      isChange(entry, removed)
        ? `changed ${toShown(entry.path)}`
        : `added ${describeEntry(entry)}`,
    ),
    ...removed
      .filter((entry) => !isChange(entry, added))
      .map((entry) => `removed ${describeEntry(entry)}`),
  ];
  return changes.length > 0 ? joinFew(changes) : undefined;
}

function describeEntry({ path, isItem, value }: Entry): string {
  const name = `${toShown(path)}${isItem ? " entry" : ""}`;
  return value === undefined ? name : `${name} ${toShown(value)}`;
}

/** The values of a JSON text by their paths; items of lists are entries of the list. */
function toEntries(text: string | undefined): Entry[] | undefined {
  if (text === undefined) return undefined;
  const entries: Entry[] = [];
  const add = (path: string, value: unknown, isItem: boolean) => {
    const isShown = typeof value === "string" && SHOWN_VALUES.test(path);
    entries.push({
      path: path.slice(0, MAX_NAME_LENGTH),
      isItem,
      digest: shortDigest(JSON.stringify([path, value])),
      ...(isShown && { value: JSON.stringify(value) }),
    });
  };
  const walk = (value: unknown, path: string, depth: number) => {
    if (entries.length > MAX_STORED_ENTRIES) return;
    const isParent = typeof value === "object" && value !== null;
    if (isParent && Array.isArray(value))
      for (const item of value as unknown[]) add(path, item, true);
    else if (isParent && depth < MAX_DEPTH)
      for (const [key, member] of Object.entries(value))
        walk(member, path === "" ? key : `${path}.${key}`, depth + 1);
    else add(path, value, false);
  };
  try {
    walk(JSON.parse(text), "", 0);
  } catch {
    // With comments, or broken: the whole file is named then.
    return undefined;
  }
  return entries.length > MAX_STORED_ENTRIES ? undefined : entries;
}

function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function toShown(text: string): string {
  const isLong = text.length > MAX_SHOWN_LENGTH;
  return toVisibleText(isLong ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text);
}
