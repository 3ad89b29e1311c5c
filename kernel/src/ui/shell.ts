import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HTTPResponse } from "h3";
import type { H3Event } from "h3";
import type { Content } from "../http/app.ts";
import type { HostPolicy } from "../http/host-policy.ts";
import { errors } from "../errors.ts";
import { renderPolicy } from "./content-security-policy.ts";
import { serveFrom } from "./static-folder.ts";

/** Names of Vue's policy, and of the kit's for frames in which foreign pages are shown. */
const TRUSTED_TYPES = ["vue", "gantry-sandboxed-page"];

/** Dependencies of {@link createPages}. */
export interface ShellHost {
  policy: HostPolicy;
  /** `dist` folder of the built shell, with `public/200.html` in it. */
  folder: string;
  /** Whether a request is paired, which a page by itself need not be. */
  isPaired(event: H3Event): boolean;
}

/** What a page's address looks like. Anything odd in it is a mistake or an attack, and is answered with 404. */
const PAGE_PATH = /^(\/[\w~-]+)*\/?$/;
/** First parts of a path that are never a page: a typo there must not be answered with one. */
const NO_PAGES = new Set(["api", "plugins", "ui", "shared", "_nuxt", "docs"]);
/** Files whose name has a hash of their content. */
const HASHED = /^\/_nuxt\//;

/**
 * Serves the shell: its files, and its one page for every address that is not something else. It holds no data, so it
 * needs no session; a browser must be able to load it to pair.
 */
export function createPages({
  policy,
  folder: shell,
  isPaired,
}: ShellHost): Content["handle"] {
  const folder = join(shell, "public");
  let page: Promise<{ policy: string }> | undefined;
  const readPage = () =>
    (page ??= readFile(join(folder, "200.html"), "utf8").then(
      (html) => ({ policy: renderPolicy(html, TRUSTED_TYPES) }),
      (cause: unknown) => {
        page = undefined;
        throw new Error("The shell is not built.", { cause });
      },
    ));

  async function servePage(event: H3Event): Promise<unknown> {
    const elsewhere = redirectTarget(event, policy, isPaired);
    if (elsewhere) {
      const headers = { location: elsewhere };
      return new HTTPResponse(null, { status: 302, headers });
    }
    const { policy: contentPolicy } = await readPage();
    event.res.headers.set("content-security-policy", contentPolicy);
    event.res.headers.set("x-frame-options", "DENY");
    return serveFrom(folder, "/200.html", event, { immutable: false });
  }

  return async (event) => {
    const path = event.url.pathname;
    if (!PAGE_PATH.test(path)) {
      // A page without its policy could be framed, so none is served as a file, nor as the compressed one beside it.
      const immutable = HASHED.test(path);
      const file = /\.(html|br|gz)$/i.test(path)
        ? undefined
        : await serveFrom(folder, path, event, { immutable });
      if (file === undefined) throw errors.ROUTE_NOT_FOUND();
      return file;
    }
    const first = path.split("/", 2)[1]?.toLowerCase() ?? "";
    if (NO_PAGES.has(first)) throw errors.ROUTE_NOT_FOUND();
    return servePage(event);
  };
}

/**
 * Where a page asked for under another loopback name is to be found instead. Cookies do not know ports: under plain
 * `localhost` every server that an agent starts would be sent ours. A client that is paired there, or says `?here` because
 * the browser cannot resolve our name, stays.
 */
function redirectTarget(
  event: H3Event,
  policy: HostPolicy,
  isPaired: (event: H3Event) => boolean,
): string | undefined {
  const host = event.req.headers.get("host") ?? "";
  if (host.toLowerCase() === policy.canonicalHost || !policy.isLoopback(host))
    return undefined;
  if (event.url.searchParams.has("here") || isPaired(event)) return undefined;
  // Paths only: an address like //evil.example would lead elsewhere.
  const path = event.url.pathname.replace(/^\/+/, "/");
  return policy.canonicalOrigin + path + event.url.search;
}
