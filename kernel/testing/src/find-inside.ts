import { constants, homedir, tmpdir } from "node:os";
import { join } from "node:path";

const ERRNOS = new Set([
  ...Object.keys(constants.errno),
  "EAI_AGAIN",
  "ENOTFOUND",
]);
const STACK = /\n\s+at |\bnode:[a-z]+|\bnode_modules\b|\.m?[jt]s:\d+/;
/** An absolute path of two parts at least; not the path of an address. */
const PATH = /(?<![\w:/.~}{-])\/[\w.@+-]+(?:\/[\w.@+-]+)+/g;
/** What looks like a path and is an address of the daemon's own. */
const ADDRESS = /^\/(?:api|docs|pair|plugins)\b/;

/**
 * Finds internals that a text reveals: an errno, a stack, or a path of the home or of the machine. `undefined` for
 * none. Folders that users work in are no secret: those in the home's `work`, and all temporary
 * ones, which is where tests have theirs.
 *
 * @param sent Texts of the client's own, which may be repeated to it.
 */
export function findInside(
  text: string,
  home: string,
  sent = "",
): string | undefined {
  // What follows is quoted from another program and is not checked.
  const own = text.replace(/ said: .*/s, "");
  const errno = own
    .match(/\bE[A-Z][A-Z0-9_]{2,}\b/g)
    ?.find((word) => ERRNOS.has(word));
  if (errno) return `the errno ${errno}`;
  const stack = STACK.exec(own);
  if (stack) return `"${stack[0].trim()}" of a stack`;
  const path = own
    .match(PATH)
    ?.find((found) => isInside(found, home) && !sent.includes(found));
  return path && `the path ${path}`;
}

function isInside(path: string, home: string): boolean {
  if (ADDRESS.test(path) || isIn(path, join(home, "work"))) return false;
  return isIn(path, home) || isIn(path, homedir()) || !isIn(path, tmpdir());
}

const isIn = (path: string, folder: string) =>
  path === folder || path.startsWith(`${folder}/`);
