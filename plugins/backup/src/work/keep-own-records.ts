import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { StoreEntry } from "@gantry/plugin";
import { replaceFile } from "@gantry/plugin/files";
import { parseShallow } from "../archive/parse-shallow.ts";
import { codeOf } from "../archive/refusals.ts";

const OWN_ID = "backup";
const FILE = `${OWN_ID}.ndjson`;

/** Values of this plugin in the store, by their keys without its id. */
export type OwnRecords = Readonly<Record<string, object | undefined>>;

/**
 * Puts records of this plugin into a stage, in place of those of the snapshot. How the backup is made belongs to the machine: to
 * restore an old snapshot must not end encryption, or go back to a folder in which the safety snapshot is not.
 *
 * @param toRecords Gets what the snapshot has, and gives what is to be there instead; the rest stays.
 */
export async function keepOwnRecords(
  stage: string,
  toRecords: (staged: OwnRecords) => OwnRecords,
): Promise<void> {
  const store = join(stage, "store");
  const entries = await readEntries(join(store, FILE));
  for (const [key, value] of Object.entries(toRecords(toStaged(entries))))
    if (value) entries.set(`${OWN_ID}:${key}`, JSON.stringify(value));
  const lines = [...entries]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, text]) => `${JSON.stringify({ key, text })}\n`);
  await mkdir(store, { recursive: true, mode: 0o700 });
  await replaceFile(join(store, FILE), lines.join(""));
}

async function readEntries(file: string): Promise<Map<string, string>> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  });
  const entries = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as StoreEntry);
  return new Map(entries.map(({ key, text: value }) => [key, value]));
}

/** Parses a value when it is read: a forged snapshot may have anything under the other keys. */
function toStaged(entries: ReadonlyMap<string, string>): OwnRecords {
  const staged = Object.create(null) as OwnRecords;
  for (const [key, text] of entries)
    Object.defineProperty(staged, withoutId(key), { get: () => parse(text) });
  return staged;
}

const withoutId = (key: string) => key.slice(OWN_ID.length + 1);

function parse(text: string): object | undefined {
  try {
    const value = parseShallow(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
