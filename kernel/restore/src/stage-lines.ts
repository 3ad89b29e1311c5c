import { createReadStream } from "node:fs";
import { basename } from "node:path";
import type { StoreEntry } from "@gantry/plugin";
import { MAX_PAGE_LENGTH } from "@gantry/store/scan-pages";
import type { RewriteWork, TextOperation } from "@gantry/store/range-driver";
import { parseJson } from "@gantry/system/parse-json";
import { isStoreKey } from "./kept-keys.ts";

const MAX_PAGE_ENTRIES = 400;
/** Longest line that is read. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const NEWLINE = 10;

/** Writes some of what is staged. */
export type WriteStaged = Parameters<RewriteWork>[0];

/** Writes an entry as it is. */
export const toSet = ({ key, text }: StoreEntry): TextOperation => ({
  type: "set",
  key,
  value: text,
});

/**
 * Reads the entries of one namespace from a file with a line of JSON for each, in pages.
 *
 * @throws TypeError that names the line, if one is no entry of the namespace or is not in its order
 */
export async function* readEntryLines(
  file: string,
  namespace: string,
): AsyncGenerator<StoreEntry[], void, void> {
  let number = 0;
  let last = "";
  let page: StoreEntry[] = [];
  let length = 0;
  for await (const line of readLines(file)) {
    number++;
    const refuse = (reason: string) =>
      new TypeError(`store/${basename(file)}, line ${number}: ${reason}.`);
    const entry = parseEntry(line);
    if (!entry) throw refuse("it is not an entry");
    const { key, text } = entry;
    if (!key.startsWith(`${namespace}:`) || !isStoreKey(key))
      throw refuse(`its key does not belong to "${namespace}"`);
    if (key <= last) throw refuse("its key is not in order");
    last = key;
    page.push({ key, text });
    length += text.length;
    if (page.length < MAX_PAGE_ENTRIES && length < MAX_PAGE_LENGTH) continue;
    yield page;
    page = [];
    length = 0;
  }
  if (page.length > 0) yield page;
}

function parseEntry(line: string): StoreEntry | undefined {
  const { key, text } = (parseJson(line) ?? {}) as Partial<StoreEntry>;
  return typeof key === "string" && typeof text === "string"
    ? { key, text }
    : undefined;
}

/** Lines end with a line feed and nothing else: `node:readline` would also cut at characters that a value may contain. */
export async function* readLines(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let begun: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(file, {
    highWaterMark: 128 * 1024,
  })) {
    let from = 0;
    const bytes = chunk as Buffer;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, from);
      if (end < 0) break;
      yield decode(decoder, file, [...begun, bytes.subarray(from, end)]);
      begun = [];
      size = 0;
      from = end + 1;
    }
    begun.push(bytes.subarray(from));
    size += bytes.length - from;
    if (size > MAX_LINE_BYTES)
      throw new TypeError(`store/${basename(file)}: a line is too long.`);
  }
  if (size > 0) yield decode(decoder, file, begun);
}

function decode(
  decoder: { decode(bytes: Uint8Array): string },
  file: string,
  parts: readonly Buffer[],
): string {
  const [only] = parts;
  try {
    return decoder.decode(
      parts.length === 1 && only ? only : Buffer.concat(parts),
    );
  } catch (cause) {
    throw new TypeError(`store/${basename(file)}: it is not UTF-8.`, { cause });
  }
}
