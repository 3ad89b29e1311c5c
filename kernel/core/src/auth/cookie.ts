import { MAX_SESSION_MS } from "./sessions.ts";

/** Name of the session cookie; the spec fixes it. */
const COOKIE_NAME = "gantry_session";

/** 32 bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

/**
 * The session token in the Cookie headers of a request. Two cookies of our name are none: another server under the
 * same name could have set one of them.
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

/** The Set-Cookie that hands a token to a browser. */
export function renderSessionCookie(token: string, secure: boolean): string {
  const age = Math.floor(MAX_SESSION_MS / 1000);
  return `${COOKIE_NAME}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure ? "; Secure" : ""}`;
}

/** The Set-Cookie that takes it away. */
export function renderClearedCookie(secure: boolean): string {
  return `${COOKIE_NAME}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0${secure ? "; Secure" : ""}`;
}
