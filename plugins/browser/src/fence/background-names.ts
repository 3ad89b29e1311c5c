/** Services that Chromium contacts on its own, whatever its flags. No page of a user needs them. */
const SERVICES: readonly string[] = [
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
];
/** Chromium's own sign-in. The user's pages need it too, so it is refused for agents only. */
const SIGN_IN = "accounts.google.com";

/** Whether Chromium requests this host name on its own, so that the request does not come from a page. */
export function isBackgroundName(
  host: string,
  owner: "agent" | "user",
): boolean {
  return SERVICES.includes(host) || (owner === "agent" && host === SIGN_IN);
}
