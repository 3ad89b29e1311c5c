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
  const watched =
    <Rest extends unknown[], Result>(
      check: (head: Head, ...rest: Rest) => Result,
    ) =>
    (head: Head, ...rest: Rest): Result => {
      try {
        return check(head, ...rest);
      } catch (error) {
        const action = REFUSALS.get((error as { code?: string }).code ?? "");
        if (action !== undefined) audit.note(action, describe(head));
        throw error;
      }
    };
  return {
    checkOrigin: watched(gate.checkOrigin),
    pass: watched(gate.pass),
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
