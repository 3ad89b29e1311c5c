const WAITING = /^\/(api|content|plugins)(\/|$)/;
const EARLY_API = /^\/api\/(auth|events|system)(\/|$)/;
/** What the router may take for another path: escaped letters, parts that are dots, and backslashes. */
const AMBIGUOUS = /%|\\|\/\.{1,2}(\/|$)/;

/**
 * Whether a request is answered while plugins are still to start: pages, their files and pairing, and operations of the
 * daemon itself that depend on no other plugin. Every other operation waits, so that no client finds half of the plugins.
 */
export function isEarlyPath(target = ""): boolean {
  const [path = ""] = target.split("?", 1);
  return !AMBIGUOUS.test(path) && (!WAITING.test(path) || EARLY_API.test(path));
}
