import type { Caller } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import type { AuthHost } from "./auth-host.ts";
import { TOKEN_CALLER_ID } from "./authenticator.ts";
import type { Session } from "./sessions.ts";

/** A session as its user sees it. */
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

/** @param online Ids of sessions that have something open. */
export function toView(
  session: Session,
  caller: Caller,
  online: ReadonlySet<string>,
): SessionView {
  const { id, device, address, createdAt, lastSeenAt, expiresAt } = session;
  const current = id === caller.sessionId;
  return {
    id,
    kind: "browser",
    device,
    address,
    createdAt,
    lastSeenAt,
    expiresAt,
    current,
    online: online.has(id),
  };
}

/** The install token and this machine itself are no stored sessions, yet a caller may ask what it is. */
export function viewOfCaller(
  { sessions, connections }: AuthHost,
  caller: Caller,
): SessionView {
  const online = connections.onlineSessions();
  const session = sessions.get(caller.sessionId);
  if (session) return toView(session, caller, online);
  const { sessionId: id, kind } = caller;
  const device = id === TOKEN_CALLER_ID ? "Install token" : "This machine";
  const never = { createdAt: null, lastSeenAt: null, expiresAt: null };
  const own = { id, kind, device, address: "", ...never };
  return { ...own, current: true, online: online.has(id) };
}
