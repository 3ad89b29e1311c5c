import type { Sessions } from "../auth/sessions.ts";
import type { Audit } from "@gantry/system/audit/audit";

/** Sessions of which each new one is recorded before the client gets it. */
export function watchSessions(
  sessions: Sessions,
  audit: Pick<Audit, "record">,
): Sessions {
  return {
    ...sessions,
    async create(device, address) {
      const created = await sessions.create(device, address);
      const { id: session } = created.session;
      await audit.record("session.made", { session, device, address });
      return created;
    },
  };
}
