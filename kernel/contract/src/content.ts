import type { Caller } from "./route.ts";

/** A request for content. The gate has let it through. */
export interface ContentRequest {
  /** Path of the address, such as `/docs/start.js`: dot segments are resolved, percent-encoding is as it was sent. */
  readonly path: string;
  /** Query parameters as sent, in order. */
  readonly search: URLSearchParams;
  /** The value of a header, or `undefined` if it was not sent. Lower-case names. */
  header(name: string): string | undefined;
  /** The paired caller; for public content `undefined` if the request comes from no paired caller. */
  readonly caller: Caller | undefined;
  /**
   * The origin that pages belong to, if the request came under another loopback name, such as `localhost`; else `undefined`.
   * Cookies do not know ports: under such a name, every other server of this machine receives the daemon's cookie.
   */
  readonly canonicalOrigin: string | undefined;
}

/** A file of a folder. */
export interface FileContent {
  readonly kind: "file";
  /** Absolute path of the folder, which no answer leaves. */
  readonly folder: string;
  /** Path below the folder, beginning with a slash. */
  readonly path: string;
  /** Whether the address changes when the file does, so that a browser may keep it forever. It revalidates it otherwise. */
  readonly immutable: boolean;
}

/** A text that is held in memory. */
export interface TextContent {
  readonly kind: "text";
  /** Such as `text/css; charset=utf-8`. */
  readonly mediaType: string;
  readonly text: string;
}

/** A temporary redirect (302). */
export interface Redirect {
  readonly kind: "redirect";
  /** Absolute URL or absolute path. */
  readonly location: string;
}

/** What content is answered with. */
export type ContentAnswer = FileContent | TextContent | Redirect;

/** Pages, scripts, styles or pictures at an address, which are no operations of the API. */
export interface ContentDefinition {
  /**
   * An address such as `/docs`, or all below one: `/docs/**`. It must lie under one of the plugin's mounts outside of `/api`.
   * The more specific address wins.
   */
  path: string;
  /** Who may load it. `public`: also a browser that is not paired yet, so it must contain no data. */
  access: "public" | "session";
  /**
   * Names of the Trusted Types policies that scripts of its pages make. Every HTML page gets a Content-Security-Policy: scripts
   * and connections only of the daemon itself, inline scripts only as they are in the page, and no framing. What is neither a
   * page nor a script, such as an SVG picture, gets `sandbox`.
   */
  trustedTypes?: readonly string[];
  /**
   * Answers GET and HEAD. `undefined`, and a file that does not exist, is answered 404 `ROUTE_NOT_FOUND`; what it throws is
   * answered as for an operation.
   */
  handle(
    request: ContentRequest,
  ): ContentAnswer | undefined | Promise<ContentAnswer | undefined>;
}

/**
 * Answers with a file, its media type taken from the extension, with an `ETag`; if `<file>.br` or `<file>.gz` is beside it and
 * the browser takes that, with the compressed one.
 *
 * @param path Path below the folder, beginning with a slash.
 *
 * @example
 * ctx.content({
 *   path: "/content/notes/**", access: "session",
 *   handle: ({ path }) => fileContent(folder, path.slice("/content/notes".length)),
 * });
 */
export function fileContent(
  folder: string,
  path: string,
  { immutable = false }: { immutable?: boolean } = {},
): FileContent {
  return { kind: "file", folder, path, immutable };
}

/** Answers with a text, with an `ETag`; a browser revalidates it at each use. */
export function textContent(mediaType: string, text: string): TextContent {
  return { kind: "text", mediaType, text };
}

/** Answers with a redirect (302). */
export function redirectTo(location: string): Redirect {
  return { kind: "redirect", location };
}
