/** Services of its maker that Chromium contacts on its own, whatever its flags. Pages do not need them. */
const SERVICES: ReadonlySet<string> = new Set([
  "android.clients.google.com",
  "clients.l.google.com",
  "clients1.google.com",
  "clients2.google.com",
  "clients2.googleusercontent.com",
  "clients3.google.com",
  "clients4.google.com",
  "clientservices.googleapis.com",
  "content-autofill.googleapis.com",
  "edgedl.me.gvt1.com",
  "mtalk.google.com",
  "optimizationguide-pa.googleapis.com",
  "redirector.gvt1.com",
  "safebrowsing.googleapis.com",
  "update.googleapis.com",
]);
/** Chromium's sign-in, which pages of users need too. */
const SIGN_IN = "accounts.google.com";

/** Whether a connection to this host is Chromium's own, and not one of a page. */
export function isBackgroundName(
  host: string,
  owner: "agent" | "user",
): boolean {
  return SERVICES.has(host) || (owner === "agent" && host === SIGN_IN);
}
