import type { Gate } from "../http/gate.ts";
import type { HttpRequest } from "../http/http-request.ts";
import type { Audit } from "./audit.ts";

/** What a refusal is called. Whoever has no session is refused too, but that is no attack. */
const REFUSALS = new Map([
  ["HOST_MISSING", "host.refused"],
  ["HOST_REFUSED", "host.refused"],
  ["ORIGIN_REFUSED", "origin.refused"],
  ["SITE_REFUSED", "origin.refused"],
]);

/** A gate that also writes down whom it refused. Whoever it lets through costs nothing. */
export function watchGate(gate: Gate, audit: Pick<Audit, "note">): Gate {
  return {
    pass(request, kind, guarded) {
      try {
        return gate.pass(request, kind, guarded);
      } catch (error) {
        const action = REFUSALS.get((error as { code?: string }).code ?? "");
        if (action !== undefined) audit.note(action, describe(request));
        throw error;
      }
    },
  };
}

function describe(request: HttpRequest) {
  return {
    address: request.remoteAddress,
    method: request.method,
    path: request.path,
    host: request.all("host").join(", "),
    origin: request.all("origin").join(", ") || undefined,
    site: request.header("sec-fetch-site"),
  };
}
