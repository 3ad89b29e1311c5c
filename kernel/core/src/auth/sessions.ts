import { hash } from "node:crypto";
import { createIdentifier, defineEvent } from "@gantry/plugin";
import type { Clock, Store } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { createSecret } from "@gantry/system/secret";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Without use for so long, a session ends. */
const IDLE_MS = 30 * DAY_MS;
/** However much it is used, it ends then. */
export const MAX_SESSION_MS = 365 * DAY_MS;
/** How fine "last seen" is kept: a write for each request would be a write for nothing. */
const SEEN_GRAIN_MS = 60_000;
const MAX_SESSIONS = 20;

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

/** A session with its times as numbers, since each request looks at them. */
interface LiveSession {
  session: Session;
  seenAt: number;
  expiresAt: number;
}

/** The paired browsers. */
export interface Sessions {
  /** The session whose token has this hash, if it is alive. Notes that it was seen. */
  find(tokenHash: string): Session | undefined;
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
 * @param onEnded Called for each session that ended, to close what it has open.
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
  const byHash = new Map<string, LiveSession>();
  const byId = new Map<string, LiveSession>();
  // A clock that is set back must not revive what has expired.
  let latest = 0;

  function keep(session: Session): void {
    const live: LiveSession = {
      session,
      seenAt: Date.parse(session.lastSeenAt),
      expiresAt: Date.parse(session.expiresAt),
    };
    byHash.set(session.tokenHash, live);
    byId.set(session.id, live);
    latest = Math.max(latest, live.seenAt);
  }

  for (let cursor: string | undefined; ;) {
    const page = await records.list({ limit: 500, cursor });
    page.items.forEach(keep);
    if (!page.nextCursor) break;
    cursor = page.nextCursor;
  }

  const now = () => (latest = Math.max(latest, clock.now()));
  const isAlive = ({ expiresAt, seenAt }: LiveSession) =>
    expiresAt > now() && seenAt + IDLE_MS > now();
  const list = () =>
    [...byId.values()]
      .filter(isAlive)
      .sort((a, b) => b.seenAt - a.seenAt)
      .map(({ session }) => session);

  function noteSeen(live: LiveSession): void {
    if (now() - live.seenAt < SEEN_GRAIN_MS) return;
    const { id } = live.session;
    const lastSeenAt = new Date(now()).toISOString();
    // In memory at once, so that a hundred requests in this moment write once.
    live.session = { ...live.session, lastSeenAt };
    live.seenAt = now();
    void records
      .update(id, (current) => ({ record: { ...current, lastSeenAt } }))
      .catch(() => {
        // A full disk must not lock the owner out; the next minute tries again.
      });
  }

  async function end(id: string): Promise<boolean> {
    const live = byId.get(id);
    if (!live) return false;
    const { device, tokenHash } = live.session;
    await records.remove(id, { events: [SessionEnded.of(id, { device })] });
    byId.delete(id);
    byHash.delete(tokenHash);
    onEnded(id);
    return true;
  }

  return {
    list,
    end,
    get(id) {
      const live = byId.get(id);
      return live && isAlive(live) ? live.session : undefined;
    },
    find(tokenHash) {
      const live = byHash.get(tokenHash);
      if (!live) return undefined;
      if (!isAlive(live)) {
        // Removed from the store: after a restart nothing would know how late it had been.
        void end(live.session.id).catch(() => {});
        return undefined;
      }
      noteSeen(live);
      return live.session;
    },
    async create(device, address) {
      for (const surplus of list().slice(MAX_SESSIONS - 1)) {
        await end(surplus.id);
      }
      const token = createSecret();
      const id = createIdentifier("ses");
      const session = await records.insert(
        {
          id,
          tokenHash: hash("sha256", token, "base64url"),
          device,
          address,
          lastSeenAt: new Date(now()).toISOString(),
          expiresAt: new Date(now() + MAX_SESSION_MS).toISOString(),
        },
        { events: [SessionCreated.of(id, { device, address })] },
      );
      keep(session);
      return { session, token };
    },
  };
}
