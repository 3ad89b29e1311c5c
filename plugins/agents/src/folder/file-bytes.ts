import { basename, extname } from "node:path";
import { bytes, type BytesAnswer } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AgentFolder } from "./agent-folder.ts";
import { showPath } from "./folder-path.ts";

/** Types that a page of ours can show; they name no program. Whatever is not here is bytes and nothing more. */
const TYPES: Readonly<Record<string, string>> = {
  ".aac": "audio/aac",
  ".avif": "image/avif",
  ".bmp": "image/bmp",
  ".flac": "audio/flac",
  ".gif": "image/gif",
  ".ico": "image/x-icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".m4a": "audio/mp4",
  ".m4v": "video/mp4",
  ".mov": "video/quicktime",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".oga": "audio/ogg",
  ".ogg": "audio/ogg",
  ".ogv": "video/ogg",
  ".opus": "audio/ogg",
  ".pdf": "application/pdf",
  ".png": "image/png",
  // Shown as an image it runs no script, and opened as a page it is a download in a sandbox.
  ".svg": "image/svg+xml",
  ".wav": "audio/wav",
  ".webm": "video/webm",
  ".webp": "image/webp",
};
const SHOWN_IN_PLACE = /^image\/(?!svg)/;

/** Content security policy of every file: it never acts as a page of Gantry's origin. */
const SANDBOX = "sandbox; default-src 'none'";

const MAX_NAME_LENGTH = 200;

/** A part of a file: first and last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The bytes of a file, or the part of it that a `Range` header asks for, read as they are sent.
 *
 * @throws FILE_RANGE_INVALID, and what a path can be refused for
 */
export async function readBytes(
  folder: AgentFolder,
  path: string,
  conditions: { range: string | undefined; ifRange: string | undefined },
): Promise<BytesAnswer> {
  const { handle, stats } = await folder.openFile(path);
  try {
    const { size } = stats;
    const etag = `"${size.toString(36)}-${stats.mtimeMs.toString(36)}"`;
    // A part of the old content is useless to a client that has another part.
    const isSame =
      conditions.ifRange === undefined || conditions.ifRange === etag;
    const range = isSame ? parseRange(conditions.range, size) : undefined;
    if (range === null)
      throw errors.FILE_RANGE_INVALID(
        { path: showPath(path), size },
        { headers: { "content-range": `bytes */${size}` } },
      );
    const { start, end } = range ?? { start: 0, end: size - 1 };
    const { type, headers: safe } = describeBytes(path);
    const headers = {
      "accept-ranges": "bytes",
      ...safe,
      etag,
      ...(range ? { "content-range": `bytes ${start}-${end}/${size}` } : {}),
    };
    const length = end - start + 1;
    if (length === 0) {
      await handle.close();
      return bytes(type, new Uint8Array(), headers);
    }
    // A disk that does not answer says so before the answer has begun.
    await handle.read(new Uint8Array(1), 0, 1, start);
    const stream = handle.createReadStream({ start, end });
    return bytes(type, { length, stream }, headers, range ? 206 : 200);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The media type of a file by its name, and headers with which its bytes never act as a page of Gantry's origin. */
export function describeBytes(path: string): {
  type: string;
  headers: Record<string, string>;
} {
  const type = TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
  const kind = SHOWN_IN_PLACE.test(type) ? "inline" : "attachment";
  return {
    type,
    headers: {
      "content-disposition": toDisposition(kind, basename(path)),
      "content-security-policy": SANDBOX,
    },
  };
}

/**
 * The part that a `Range` header asks for. `undefined` for the whole: there is none, it is in other units, or it asks for several
 * parts, which no client needs and which would multiply what is sent. `null` if there is no such part.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | null | undefined {
  const wanted = /^bytes=(.*)$/.exec(header?.trim() ?? "")?.[1];
  if (wanted === undefined || wanted.includes(",")) return undefined;
  const [, from = "", to = ""] =
    /^\s*(\d{0,15})-(\d{0,15})\s*$/.exec(wanted) ?? [];
  if (from === "" && to === "") return null;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end =
    from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return start <= end && start < size ? { start, end } : null;
}

/** A header in one line, whatever the file is called. */
export function toDisposition(
  kind: "inline" | "attachment",
  name: string,
): string {
  const safe = name
    .replace(/[\p{Cc}\p{Cf}\p{Surrogate}/\\"]/gu, "_")
    .slice(0, MAX_NAME_LENGTH)
    // Not to end with half of a pair.
    .replace(/\p{Surrogate}/gu, "_");
  const plain = safe.replace(/[^\x20-\x7e]/g, "_").replaceAll("%", "_");
  const full = encodeURIComponent(safe).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${full}`;
}
