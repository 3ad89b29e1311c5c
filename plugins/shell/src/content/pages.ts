import { access } from "node:fs/promises";
import { join } from "node:path";
import { fileContent, redirectTo } from "@gantry/plugin";
import type {
  ContentAnswer,
  ContentDefinition,
  ContentRequest,
} from "@gantry/plugin";

/** Policies of Vue, and of the kit for frames in which foreign pages are shown. */
const TRUSTED_TYPES = ["vue", "gantry-sandboxed-page"];
/** The one page of the shell. */
const PAGE = "/200.html";
/** Shape of a page's address. Anything else is a file, a mistake or an attack. */
const PAGE_PATH = /^(\/[\w~-]+)*\/?$/;
/** First parts of a path that are never a page, so that a typo there is answered 404. */
const NO_PAGES = new Set([
  "_nuxt",
  "api",
  "content",
  "docs",
  "plugins",
  "shared",
  "ui",
]);
/** Files whose name contains a hash of their content. */
const HASHED = /^\/_nuxt\//;
/** Files that are not served as such: a page has its own addresses, and compressed files stand in for their originals. */
const NO_FILES = /\.(html|br|gz)$/i;

/**
 * Creates the content that serves the shell: its files, and its one page at every address that is nothing else. It contains
 * no data, so it needs no session; a browser must be able to load it to pair.
 *
 * @param shell `dist` folder of the built shell, with `public/200.html` in it.
 */
export function createPages(shell: string): ContentDefinition {
  const folder = join(shell, "public");

  async function servePage(request: ContentRequest): Promise<ContentAnswer> {
    const location = redirectTarget(request);
    if (location !== undefined) return redirectTo(location);
    await access(join(folder, PAGE)).catch((cause: unknown) => {
      throw new Error("The shell is not built.", { cause });
    });
    return fileContent(folder, PAGE);
  }

  return {
    path: "/**",
    access: "public",
    trustedTypes: TRUSTED_TYPES,
    async handle(request) {
      const { path } = request;
      if (PAGE_PATH.test(path)) {
        const first = path.split("/", 2)[1]?.toLowerCase() ?? "";
        return NO_PAGES.has(first) ? undefined : servePage(request);
      }
      if (NO_FILES.test(path)) return undefined;
      return fileContent(folder, path, { immutable: HASHED.test(path) });
    },
  };
}

/**
 * Address of a page under the daemon's own name, if it was requested under another loopback name. A browser that is paired
 * there stays, and one that cannot resolve the daemon's name says `?here`.
 */
function redirectTarget({
  path,
  search,
  caller,
  canonicalOrigin,
}: ContentRequest): string | undefined {
  if (canonicalOrigin === undefined || search.has("here") || caller)
    return undefined;
  const query = search.size > 0 ? `?${search}` : "";
  // Paths only: an address such as //evil.example would lead to another host.
  return canonicalOrigin + path.replace(/^\/+/, "/") + query;
}
