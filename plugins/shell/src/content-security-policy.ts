import { createHash } from "node:crypto";

/** An inline script that runs, with its content; data blocks and files are no such. */
const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/gi;
const DATA_BLOCK = /\btype=["']?application\/json/i;

/**
 * The policy of a page of ours: scripts only from us, and inline only those that stand in it now.
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
    // Component libraries set styles on elements; a style can show but not run.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    // What pages show of foreign content is in frames without scripts, or in the browser's own viewer.
    "frame-src blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // No string becomes markup or code unless one of these policies, of the page's own libraries, has made it.
    "require-trusted-types-for 'script'",
    ["trusted-types", ...trustedTypes].join(" "),
  ].join("; ");
}
