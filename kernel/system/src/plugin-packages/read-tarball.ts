import { readFile } from "node:fs/promises";
import { normalize, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ReadEntry } from "tar";
import { invalidPlugin } from "../errors.ts";

/** Largest archive, unpacked. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 5_000;
/** Bytes of a path that a message shows. */
const MAX_SHOWN_PATH = 80;
/** The folder that `npm pack` puts everything in. */
const PACKAGE_PREFIX = `package${sep}`;
const FILE_TYPES = new Set(["File", "OldFile", "ContiguousFile"]);

/** A file of a package. */
export interface PackedFile {
  /** Relative to the package's folder, inside of it. */
  path: string;
  content: Uint8Array;
}

const unreadable = (cause?: unknown) =>
  invalidPlugin("it is not a readable .tgz of at most 64 MB unpacked", cause);

/**
 * Reads a tarball made by `npm pack`, whole, without writing anything. Knows the long paths of ustar, pax and GNU.
 *
 * @throws `PLUGIN_INVALID` for an archive that is damaged or too large, and for an entry that is no plain file or lies
 *   outside the package's folder
 */
export async function readTarball(file: string): Promise<PackedFile[]> {
  const archive = await readFile(file).then(
    (content) => gunzip(content),
    (error: unknown) => {
      throw unreadable(error);
    },
  );
  const files: PackedFile[] = [];
  let refusal: Error | undefined;
  const refuse = (error: Error) => void (refusal ??= error);
  let entries = 0;

  // Loaded here, because a daemon that installs nothing does not need it.
  const { Parser } = await import("tar/parse");
  const parser = new Parser({
    strict: true,
    // An archive in the archive would be unpacked without a limit.
    maxDecompressionRatio: 0,
    onReadEntry(entry) {
      if (++entries > MAX_ENTRIES)
        refuse(invalidPlugin(`it has more than ${MAX_ENTRIES} files`));
      if (refusal || entry.type === "Directory") return void entry.resume();
      const chunks: Uint8Array[] = [];
      entry.on("data", (chunk) => void chunks.push(chunk));
      entry.on("end", () => {
        try {
          const path = pathOf(entry);
          files.push({ path, content: Buffer.concat(chunks) });
        } catch (error) {
          refuse(error as Error);
        }
      });
    },
  });
  // Of a type that is unknown, or an extended header that is too large.
  parser.on("ignoredEntry", ({ path }: ReadEntry) =>
    refuse(notPlain(String(path))),
  );
  try {
    await new Promise((resolve, reject) => {
      parser.once("end", resolve);
      parser.on("error", reject);
      parser.end(archive);
    });
  } catch (error) {
    refuse(unreadable(error));
  }
  if (refusal) throw refusal;
  return files;
}

function gunzip(content: Uint8Array): Buffer {
  try {
    return gunzipSync(content, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    throw unreadable(error);
  }
}

const notPlain = (path: string) =>
  invalidPlugin(`${path.slice(0, MAX_SHOWN_PATH)} is not a plain file`);

/** The path of a file inside the package's folder. An extended header may have put anything into it. */
function pathOf({ path, type }: ReadEntry): string {
  const name = String(path);
  // A link could lead a later entry out of the folder, and no plugin needs one.
  if (!FILE_TYPES.has(type)) throw notPlain(name);
  const normal = normalize(name);
  const isOutside =
    !normal.startsWith(PACKAGE_PREFIX) || normal.split(sep).includes("..");
  if (isOutside || name.includes("\0"))
    throw invalidPlugin(
      `${name.slice(0, MAX_SHOWN_PATH)} is outside the package's folder`,
    );
  return normal.slice(PACKAGE_PREFIX.length);
}
