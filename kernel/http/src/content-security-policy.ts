import { createHash } from "node:crypto";

/** Matches an inline script and its content, but no data block and no script with a file. */
const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/gi;
const DATA_BLOCK = /\btype=["']?application\/json/i;

/**
 * The policy of a page of the daemon: scripts only from its origin, and inline only the present ones, by hash.
 *
 * @param trustedTypes Names of the Trusted Types policies that the page's scripts make.
 * @see https://www.w3.org/TR/CSP3/
 */
export function renderPolicy(
  html: string,
  trustedTypes: readonly string[],
): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)]
    .filter(([, attributes]) => !DATA_BLOCK.test(attributes ?? ""))
    .map(
      ([, , script]) =>
        `'sha256-${createHash("sha256")
          .update(script ?? "")
          .digest("base64")}'`,
    );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...new Set(hashes)].join(" "),
    // Component libraries set styles on elements, and a style runs no code.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    // Pages show foreign content in frames without scripts, or in the viewer of the browser.
    "frame-src blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // A string becomes markup or code only through one of these policies, which the page's libraries define.
    "require-trusted-types-for 'script'",
    ["trusted-types", ...trustedTypes].join(" "),
  ].join("; ");
}
