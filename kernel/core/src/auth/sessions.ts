import { createIdentifier, defineEvent } from "@gantry/plugin";
import type { Clock, Store } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { createSecret, hashSecret } from "@gantry/system/secret";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A session that is not used for this long ends. */
const IDLE_MS = 30 * DAY_MS;
/** Lifetime of a session, however much it is used. */
export const MAX_SESSION_MS = 365 * DAY_MS;
/** Resolution of `lastSeenAt`, which saves a write for each request. */
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
  /** The session whose token has this hash, if it has not expired. Updates `lastSeenAt`. */
  find(tokenHash: string): Session | undefined;
  get(id: string): Session | undefined;
  /** All that have not expired, the most recently seen first. */
  list(): Session[];
  /** Creates a session. The token is returned once and never stored; the oldest sessions beyond {@link MAX_SESSIONS} end. */
  create(
    device: string,
    address: string,
  ): Promise<{ session: Session; token: string }>;
  /** Ends a session. Resolves with `false` if there is none with this id. */
  end(id: string): Promise<boolean>;
}

/**
 * Opens the sessions of a store. All are kept in memory too, since each request looks one up.
 *
 * @param onEnded Called with the id of each session that ended, to close its streams and sockets.
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
  const { byHash, byId, now, isAlive, list, keep } = createSessionIndex(clock);
  for (let cursor: string | undefined; ;) {
    const page = await records.list({ limit: 500, cursor });
    page.items.forEach(keep);
    if (!page.nextCursor) break;
    cursor = page.nextCursor;
  }

  function noteSeen(live: LiveSession): void {
    if (now() - live.seenAt < SEEN_GRAIN_MS) return;
    const { id } = live.session;
    const lastSeenAt = new Date(now()).toISOString();
    // In memory at once, so that concurrent requests write once.
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
        // Removed, since after a restart the highest time seen so far is not known.
        void end(live.session.id).catch(() => {});
        return undefined;
      }
      noteSeen(live);
      return live.session;
    },
    async create(device, address) {
      for (const oldest of list().slice(MAX_SESSIONS - 1)) await end(oldest.id);
      const token = createSecret();
      const id = createIdentifier("ses");
      const session = await records.insert(
        {
          ...{ id, device, address },
          tokenHash: hashSecret(token),
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

/** Creates the index in memory, with a time that never goes back: a clock that is set back must not revive a session. */
function createSessionIndex(clock: Clock) {
  const byHash = new Map<string, LiveSession>();
  const byId = new Map<string, LiveSession>();
  let latest = 0;
  const now = () => (latest = Math.max(latest, clock.now()));
  const isAlive = ({ expiresAt, seenAt }: LiveSession) =>
    expiresAt > now() && seenAt + IDLE_MS > now();
  return {
    ...{ byHash, byId, now, isAlive },
    list: () =>
      [...byId.values()]
        .filter(isAlive)
        .sort((a, b) => b.seenAt - a.seenAt)
        .map(({ session }) => session),
    keep(session: Session): void {
      const seenAt = Date.parse(session.lastSeenAt);
      const expiresAt = Date.parse(session.expiresAt);
      const live: LiveSession = { session, seenAt, expiresAt };
      byHash.set(session.tokenHash, live);
      byId.set(session.id, live);
      latest = Math.max(latest, seenAt);
    },
  };
}
