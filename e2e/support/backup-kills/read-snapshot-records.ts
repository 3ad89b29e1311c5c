import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import type { Records } from "./busy-home.ts";

/** What comes before the content of the one file of an archive. */
const HEADER_BYTES = 512;
/** Where the size of the file is in it, in octal digits. */
const SIZE_AT = 124;
const SIZE_DIGITS = 11;

/** Reads the records of a plugin out of a plain snapshot, as the README describes the format: with no code of the plugin. */
export async function readSnapshotRecords(
  snapshot: string,
  namespace: string,
): Promise<Records> {
  const manifest = JSON.parse(
    await readFile(join(snapshot, "manifest.json"), "utf8"),
  ) as { archives: { name: string; namespace: string | null }[] };
  const archive = manifest.archives.find(
    (other) => other.namespace === namespace,
  );
  const packed = await readFile(join(snapshot, archive!.name));
  const content = zstdDecompressSync(packed);
  const digits = content.toString("latin1", SIZE_AT, SIZE_AT + SIZE_DIGITS);
  const end = HEADER_BYTES + parseInt(digits, 8);
  const records = new Map<string, string>();
  for (const line of content.toString("utf8", HEADER_BYTES, end).split("\n")) {
    if (line === "") continue;
    const { text } = JSON.parse(line) as { text: string };
    const { data } = JSON.parse(text) as {
      data?: { id: string; body: string };
    };
    if (data?.id) records.set(data.id, data.body);
  }
  return records;
}
