/**
 * Whether a symbolic link leads to something in the same folder as itself, whatever else is a link there: it is relative, goes up no
 * further than that folder, and goes up only at its beginning.
 *
 * @param path Of the link, relative to the folder, with `/`.
 * @param target What the link says.
 * @example
 *   isLinkWithin("bin/tool", "../lib/tool.js"); // true
 *   isLinkWithin("bin/tool", "../../elsewhere"); // false
 */
export function isLinkWithin(path: string, target: string): boolean {
  if (target === "" || /^[/\\]|^[A-Za-z]:|\\|\0/.test(target)) return false;
  let depth = path.split("/").length - 1;
  let isDown = false;
  for (const name of target.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") isDown = true;
    // Behind a name that is a link itself, `..` leads somewhere else.
    else if (isDown || --depth < 0) return false;
  }
  return true;
}
