import { parsePath } from "../folder/folder-path.ts";

/** An escape for a byte above 127 or for a backslash, as git writes it. */
const ESCAPE = /\\([23][0-7]{2}|134)/g;

/**
 * The text of a path: the path itself if it is UTF-8, else with escapes for all bytes above 127, such as `caf\351.txt`. A
 * backslash is one too then, and in a path that looks as if it had escapes, so no two paths have one text.
 *
 * @param bytes One character for each byte, as git prints it with `encoding: "latin1"`.
 */
export function toPathText(bytes: string): string {
  const text = toUtf8(bytes);
  return toBytes(text) === bytes && text.search(ESCAPE) < 0
    ? text
    : bytes.replace(
        // eslint-disable-next-line no-control-regex -- all that is ASCII but the backslash
        /[^\u0000-\u005b\u005d-\u007f]/g,
        (byte) => `\\${byte.charCodeAt(0).toString(8)}`,
      );
}

/** One character for each byte of the path that a text stands for. */
export function toPathBytes(text: string): string {
  return text.search(ESCAPE) < 0
    ? toBytes(text)
    : toBytes(text).replace(ESCAPE, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      );
}

/** The text of a path in a folder, from the texts of both. */
export function joinPathTexts(folder: string, path: string): string {
  return toPathText(`${toPathBytes(folder)}/${toPathBytes(path)}`);
}

/** A path below the agent's folder as git takes it: text, or bytes that are not UTF-8. */
export type GitPath = string | Uint8Array;

/** Reads the text of a path that a client sent. @throws PATH_OUTSIDE, PATH_INVALID */
export function parseGitPath(text: string): GitPath {
  const bytes = toPathBytes(text);
  const plain = toUtf8(bytes);
  const isUtf8 = toBytes(plain) === bytes;
  const names = parsePath(isUtf8 ? plain : bytes).join("/");
  return isUtf8 ? names : Buffer.from(names, "latin1");
}

/** Text that git printed with `encoding: "latin1"` and that is no path. */
export function toUtf8(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}

function toBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}
