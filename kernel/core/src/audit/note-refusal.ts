import type { HttpRequest } from "@gantry/http/http-request";
import type { Audit } from "@gantry/system/audit/audit";

/** What a refusal is called. A client without a session is refused too, but that is no attack. */
const REFUSALS = new Map([
  ["HOST_MISSING", "host.refused"],
  ["HOST_REFUSED", "host.refused"],
  ["ORIGIN_REFUSED", "origin.refused"],
  ["SITE_REFUSED", "origin.refused"],
]);

/** Writes down who was refused, if an error of the gate with this code says that it may have been an attack. */
export function noteRefusal(
  audit: Pick<Audit, "note">,
  request: HttpRequest,
  code: string,
): void {
  const action = REFUSALS.get(code);
  if (action === undefined) return;
  audit.note(action, {
    address: request.remoteAddress,
    method: request.method,
    path: request.path,
    host: request.all("host").join(", "),
    origin: request.all("origin").join(", ") || undefined,
    site: request.header("sec-fetch-site"),
  });
}
