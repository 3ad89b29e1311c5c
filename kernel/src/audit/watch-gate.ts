import type { Gate } from "../http/gate.ts";
import type { Head } from "../http/request-head.ts";
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
    pass(head, kind, guarded) {
      try {
        return gate.pass(head, kind, guarded);
      } catch (error) {
        const action = REFUSALS.get((error as { code?: string }).code ?? "");
        if (action !== undefined) audit.note(action, describe(head));
        throw error;
      }
    },
  };
}

function describe(head: Head) {
  return {
    address: head.remoteAddress,
    method: head.method,
    path: head.path,
    host: head.all("host").join(", "),
    origin: head.all("origin").join(", ") || undefined,
    site: head.header("sec-fetch-site"),
  };
}
