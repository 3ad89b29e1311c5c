/** The part of Trusted Types that is used here. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(html: string): string },
  ): { createHTML(html: string): unknown };
}

/** The kernel's content security policy allows this name, and that of Vue's own policy. */
const POLICY_NAME = "gantry-sandboxed-page";
const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

const withPolicy = (html: string) =>
  `<!doctype html><meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">${html}`;

let makeTrusted: ((html: string) => unknown) | undefined;

/**
 * The `srcdoc` of a frame with `sandbox=""`, and nothing else: where the browser has Trusted Types, any other sink of HTML
 * would take it as well.
 */
export function toSandboxedPage(html: string): string {
  makeTrusted ??= createMaker();
  // A trusted object where there are such, which Vue passes unchanged.
  return makeTrusted(html) as string;
}

function createMaker(): (html: string) => unknown {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy(POLICY_NAME, {
    createHTML: withPolicy,
  });
  return policy ? (html) => policy.createHTML(html) : withPolicy;
}
