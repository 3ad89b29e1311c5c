import type { Caller } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import type { AuthHost } from "./auth-host.ts";
import { TOKEN_CALLER_ID } from "./authenticator.ts";
import type { Session } from "./sessions.ts";

/** A session as clients see it. */
export const SessionView = z
  .object({
    id: z.string(),
    kind: z.enum(["browser", "token"]),
    device: z.string(),
    address: z.string(),
    createdAt: timestamp.nullable(),
    lastSeenAt: timestamp.nullable(),
    expiresAt: timestamp.nullable(),
    current: z.boolean(),
    online: z.boolean(),
  })
  .meta({ id: "Session" });
export type SessionView = z.infer<typeof SessionView>;

/** Converts a session to what a caller sees of it. `online` has the ids of sessions with open connections. */
export function toSessionView(
  session: Session,
  caller: Caller,
  online: ReadonlySet<string>,
): SessionView {
  const { id, device, address, createdAt, lastSeenAt, expiresAt } = session;
  return {
    ...{ id, device, address, createdAt, lastSeenAt, expiresAt },
    kind: "browser",
    current: id === caller.sessionId,
    online: online.has(id),
  };
}

/** Converts the caller's own session. The install token and this machine itself have none that is stored. */
export function toCallerView(
  { sessions, connections }: AuthHost,
  caller: Caller,
): SessionView {
  const { sessionId: id, kind } = caller;
  const online = connections.onlineSessions();
  const session = sessions.get(id);
  if (session) return toSessionView(session, caller, online);
  const device = id === TOKEN_CALLER_ID ? "Install token" : "This machine";
  return {
    ...{ id, kind, device, address: "" },
    ...{ createdAt: null, lastSeenAt: null, expiresAt: null },
    current: true,
    online: online.has(id),
  };
}
