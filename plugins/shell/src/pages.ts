import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HTTPResponse } from "h3";
import type { H3Event } from "h3";
import type { HandlerRequest, PluginContext } from "@gantry/plugin";
import { renderPolicy } from "./content-security-policy.ts";
import { serveFrom } from "./static-folder.ts";

/** Names of Vue's policy, and of the kit's for frames in which foreign pages are shown. */
const TRUSTED_TYPES = ["vue", "gantry-sandboxed-page"];

/** The name that the UI lives on, and the other names of this machine. */
const OWN_NAME = "gantry.localhost";
const LOOPBACK_NAMES = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** What a page's address looks like. Anything odd in it is a mistake or an attack, and is answered with 404. */
const PAGE_PATH = /^(\/[\w~-]+)*\/?$/;
/** First parts of a path that are never a page: a typo there must not be answered with one. */
const NO_PAGES = new Set(["api", "plugins", "ui", "shared", "_nuxt", "docs"]);
/** Files whose name has a hash of their content. */
const HASHED = /^\/_nuxt\//;

/**
 * Serves the shell: its files, and its one page for every address that is not something else. It holds no data, so it
 * needs no session; a browser must be able to load it to pair.
 *
 * @param shell `dist` folder of the built shell, with `public/200.html` in it.
 */
export function addPages(ctx: PluginContext, shell: string): void {
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

  async function servePage(
    event: H3Event,
    request: HandlerRequest,
  ): Promise<unknown> {
    const elsewhere = redirectTarget(event, request, ctx.localOrigin);
    if (elsewhere) {
      const headers = { location: elsewhere };
      return new HTTPResponse(null, { status: 302, headers });
    }
    const { policy: contentPolicy } = await readPage();
    event.res.headers.set("content-security-policy", contentPolicy);
    event.res.headers.set("x-frame-options", "DENY");
    return serveFrom(folder, "/200.html", event, { immutable: false });
  }

  ctx.handler({
    path: "/**",
    summary: "The web UI",
    access: "public",
    methods: ["GET"],
    async handle(event, request) {
      const path = event.url.pathname;
      if (!PAGE_PATH.test(path)) {
        // A page without its policy could be framed, so none is served as a file, nor as the compressed one beside it.
        const immutable = HASHED.test(path);
        return /\.(html|br|gz)$/i.test(path)
          ? undefined
          : await serveFrom(folder, path, event, { immutable });
      }
      const first = path.split("/", 2)[1]?.toLowerCase() ?? "";
      return NO_PAGES.has(first) ? undefined : await servePage(event, request);
    },
  });
}

/**
 * Where a page asked for under another loopback name is to be found instead. Cookies do not know ports: under plain
 * `localhost` every server that an agent starts would be sent ours. A client that is paired there, or says `?here` because
 * the browser cannot resolve our name, stays.
 */
function redirectTarget(
  event: H3Event,
  request: HandlerRequest,
  localOrigin: string,
): string | undefined {
  const { protocol, port } = new URL(localOrigin);
  const host = event.req.headers.get("host") ?? "";
  const asked = URL.parse(`${protocol}//${host}`);
  if (asked?.port !== port || !LOOPBACK_NAMES.has(asked.hostname))
    return undefined;
  if (event.url.searchParams.has("here") || request.caller) return undefined;
  // Paths only: an address like //evil.example would lead elsewhere.
  const path = event.url.pathname.replace(/^\/+/, "/");
  const own = new URL(localOrigin);
  own.hostname = OWN_NAME;
  return own.origin + path + event.url.search;
}
