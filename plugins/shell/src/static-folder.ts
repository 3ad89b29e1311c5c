import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { serveStatic } from "h3";
import type { H3Event } from "h3";
import { resolveInside } from "./resolve-inside.ts";

const MEDIA_TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** Compressed neighbours that the build leaves beside each file. */
const BROTLI = { br: ".br" };
const ENCODINGS = { ...BROTLI, gzip: ".gz" };
const TAKES_BROTLI = /(^|,)\s*br\s*(,|$)/;

const FOREVER = "public, max-age=31536000, immutable";
const REVALIDATE = "no-cache";

/**
 * Answers a request from a folder, compressed as the browser takes it.
 *
 * @param path Path below the folder, beginning with a slash.
 * @param immutable Whether the address changes when the content does, so that it may be kept for ever.
 * @returns what h3 is to send, `undefined` if there is no such file
 */
export async function serveFrom(
  folder: string,
  path: string,
  event: H3Event,
  { immutable }: { immutable: boolean },
): Promise<unknown> {
  event.url.pathname = path;
  const accepted = event.req.headers.get("accept-encoding") ?? "";
  event.res.headers.set("cache-control", immutable ? FOREVER : REVALIDATE);
  const answer = await serveStatic(event, {
    // h3 takes the first that a browser names, and all of them name gzip first.
    encodings: TAKES_BROTLI.test(accepted) ? BROTLI : ENCODINGS,
    indexNames: [],
    fallthrough: true,
    async getMeta(id) {
      const file = await resolveInside(folder, id);
      const stats = file && (await stat(file).catch(() => undefined));
      if (!stats || !stats.isFile()) return undefined;
      const suffix = extname(id);
      const encoding = suffix === ".br" ? "br" : suffix === ".gz" ? "gzip" : "";
      const type =
        MEDIA_TYPES[extname(encoding ? id.slice(0, -suffix.length) : id)] ??
        "application/octet-stream";
      const etag = `"${stats.size.toString(36)}-${Math.floor(stats.mtimeMs).toString(36)}"`;
      return {
        size: stats.size,
        type,
        etag,
        ...(encoding ? { encoding } : {}),
      };
    },
    getContents: async (id) =>
      readFile((await resolveInside(folder, id)) ?? ""),
  });
  if (answer === undefined) event.res.headers.delete("cache-control");
  return answer;
}
