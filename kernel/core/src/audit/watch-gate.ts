import type { Gate } from "@gantry/http/gate";
import type { Head } from "@gantry/http/request-head";
import type { Audit } from "@gantry/audit/audit";

/** Audit action of each error of the gate. A missing session is refused too, but is no attack and is not recorded. */
const REFUSALS = new Map([
  ["HOST_MISSING", "host.refused"],
  ["HOST_REFUSED", "host.refused"],
  ["ORIGIN_REFUSED", "origin.refused"],
  ["SITE_REFUSED", "origin.refused"],
]);

/** Wraps a gate so that its refusals are recorded. Requests that it accepts cost nothing. */
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
