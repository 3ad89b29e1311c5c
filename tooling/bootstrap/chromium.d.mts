/** How to get a browser, in one line. */
export const CHROMIUM_HINT: string;
export function findChromium(
  env?: NodeJS.ProcessEnv,
  options?: { hasViewers?: boolean },
): string | undefined;
export function ensureChromium(env?: NodeJS.ProcessEnv): string | undefined;
