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
  const archives = manifest.archives.filter(
    (archive) => archive.namespace === namespace,
  );
  const contents = await Promise.all(
    archives.map(async ({ name }) =>
      unpack(await readFile(join(snapshot, name))),
    ),
  );
  const records = new Map<string, string>();
  for (const line of Buffer.concat(contents).toString().split("\n")) {
    if (line === "") continue;
    const { text } = JSON.parse(line) as { text: string };
    const { data } = JSON.parse(text) as {
      data?: { id: string; body: string };
    };
    if (data?.id) records.set(data.id, data.body);
  }
  return records;
}

/** The one file of an archive. */
function unpack(archive: Buffer): Buffer {
  const content = zstdDecompressSync(archive);
  const digits = content.toString("latin1", SIZE_AT, SIZE_AT + SIZE_DIGITS);
  return content.subarray(HEADER_BYTES, HEADER_BYTES + parseInt(digits, 8));
}
