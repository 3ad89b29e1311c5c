import { createIdentifier, defineEvent } from "@gantry/plugin";
import type { Clock, Store } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { createSecret, hashSecret } from "./secret.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Without use for so long, a session ends (decisions §2). */
const IDLE_MS = 30 * DAY_MS;
/** However much it is used, it ends then. */
export const LONGEST_SESSION_MS = 365 * DAY_MS;
/** How fine "last seen" is kept: a write for each request would be a write for nothing. */
const SEEN_GRAIN_MS = 60_000;
const MOST_SESSIONS = 20;

/** A paired browser, as it is stored. Its secret is not: only the hash of it. */
const Session = z.object({
  ...storedFields,
  tokenHash: z.string(),
  device: z.string(),
  address: z.string(),
  lastSeenAt: timestamp,
  expiresAt: timestamp,
});
export type Session = z.infer<typeof Session>;

export const SessionCreated = defineEvent<{ device: string; address: string }>(
  "auth.session-created",
  "A device was paired.",
);
export const SessionEnded = defineEvent<{ device: string }>(
  "auth.session-ended",
  "A session was revoked or logged out.",
);

/** The paired browsers. */
export interface Sessions {
  /** The session that a cookie's value belongs to, if it is alive. Notes that it was seen. */
  find(token: string): Session | undefined;
  get(id: string): Session | undefined;
  /** All that are alive, the one seen last first. */
  list(): Session[];
  /** Makes a session; the token is given once and never stored. */
  create(
    device: string,
    address: string,
  ): Promise<{ session: Session; token: string }>;
  /** Ends one. `false` if there is none with this id. */
  end(id: string): Promise<boolean>;
}

/**
 * Opens the sessions of a store. All are kept in memory too, since each request asks for one.
 *
 * @param onEnded Told of each session that ended, to close what it has open.
 */
export async function openSessions(
  store: Store,
  clock: Clock,
  onEnded: (id: string) => void,
): Promise<Sessions> {
  const records = store.collection<Session>({
    name: "session",
    version: 1,
    schema: Session,
  });
  const byHash = new Map<string, Session>();
  // A clock that is set back must not revive what has expired.
  let latestSeen = 0;

  for (let cursor: string | undefined; ;) {
    const page = await records.list({ limit: 500, cursor });
    for (const session of page.items) {
      byHash.set(session.tokenHash, session);
      latestSeen = Math.max(latestSeen, Date.parse(session.lastSeenAt));
    }
    if (!page.nextCursor) break;
    cursor = page.nextCursor;
  }

  const now = () => (latestSeen = Math.max(latestSeen, clock.now()));
  const isAlive = (session: Session) =>
    Date.parse(session.expiresAt) > now() &&
    Date.parse(session.lastSeenAt) + IDLE_MS > now();
  const all = () =>
    [...byHash.values()]
      .filter(isAlive)
      .sort((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1));
  const get = (id: string) => all().find((session) => session.id === id);

  function noteSeen(session: Session): void {
    if (now() - Date.parse(session.lastSeenAt) < SEEN_GRAIN_MS) return;
    const lastSeenAt = new Date(now()).toISOString();
    // In memory at once, so that a hundred requests in this moment write once.
    byHash.set(session.tokenHash, { ...session, lastSeenAt });
    void records
      .update(session.id, (current) => ({ record: { ...current, lastSeenAt } }))
      .catch(() => {
        // A full disk must not lock the owner out; the next minute tries again.
      });
  }

  async function end(id: string): Promise<boolean> {
    const session = [...byHash.values()].find(
      (candidate) => candidate.id === id,
    );
    if (!session) return false;
    await records.remove(id, {
      events: [SessionEnded.of(id, { device: session.device })],
    });
    byHash.delete(session.tokenHash);
    onEnded(id);
    return true;
  }

  return {
    get,
    list: all,
    end,
    find(token) {
      const session = byHash.get(hashSecret(token));
      if (!session || !isAlive(session)) return undefined;
      noteSeen(session);
      return session;
    },
    async create(device, address) {
      for (const surplus of all().slice(MOST_SESSIONS - 1))
        await end(surplus.id);
      const token = createSecret();
      const id = createIdentifier("ses");
      const session = await records.insert(
        {
          id,
          tokenHash: hashSecret(token),
          device,
          address,
          lastSeenAt: new Date(now()).toISOString(),
          expiresAt: new Date(now() + LONGEST_SESSION_MS).toISOString(),
        },
        { events: [SessionCreated.of(id, { device, address })] },
      );
      byHash.set(session.tokenHash, session);
      return { session, token };
    },
  };
}
