/** Name of the session cookie; the spec fixes it. */
const COOKIE_NAME = "gantry_session";

/** 32 bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

/**
 * Reads the session token from the Cookie headers of a request. `undefined` without one, and with two: another server under
 * the same name may have set one of them.
 */
export function readSessionCookie(
  headers: readonly string[],
): string | undefined {
  let found: string | undefined;
  for (const header of headers) {
    for (const pair of header.split(";")) {
      const separator = pair.indexOf("=");
      if (separator < 0 || pair.slice(0, separator).trim() !== COOKIE_NAME)
        continue;
      if (found !== undefined) return undefined;
      found = pair.slice(separator + 1).trim();
    }
  }
  return found !== undefined && TOKEN.test(found) ? found : undefined;
}

/**
 * Renders the Set-Cookie header that gives a browser its session token.
 *
 * @param isEncrypted Whether the browser may send the cookie over HTTPS only.
 */
export function renderSessionCookie(
  token: string,
  maxAgeMs: number,
  isEncrypted: boolean,
): string {
  const age = Math.floor(maxAgeMs / 1000);
  return `${COOKIE_NAME}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${isEncrypted ? "; Secure" : ""}`;
}

/** Renders the Set-Cookie header that removes the session cookie. */
export function renderClearedCookie(isEncrypted: boolean): string {
  return renderSessionCookie("", 0, isEncrypted);
}
