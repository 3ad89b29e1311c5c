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

/** Sessions in memory, since each request asks for one. */
class LiveSessions {
  readonly byHash = new Map<string, LiveSession>();
  readonly byId = new Map<string, LiveSession>();
  readonly #clock: Clock;
  /** A clock that is set back must not revive what has expired. */
  #latest = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return (this.#latest = Math.max(this.#latest, this.#clock.now()));
  }

  isAlive({ expiresAt, seenAt }: LiveSession): boolean {
    return expiresAt > this.now() && seenAt + IDLE_MS > this.now();
  }

  keep(session: Session): void {
    const seenAt = Date.parse(session.lastSeenAt);
    const expiresAt = Date.parse(session.expiresAt);
    const live: LiveSession = { session, seenAt, expiresAt };
    this.byHash.set(session.tokenHash, live);
    this.byId.set(session.id, live);
    this.#latest = Math.max(this.#latest, seenAt);
  }

  drop({ id, tokenHash }: Session): void {
    this.byId.delete(id);
    this.byHash.delete(tokenHash);
  }

  /** Those that are alive, the one seen last first. */
  list(): Session[] {
    return [...this.byId.values()]
      .filter((live) => this.isAlive(live))
      .sort((a, b) => b.seenAt - a.seenAt)
      .map(({ session }) => session);
  }
}

/** The paired browsers. */
export type Sessions = Awaited<ReturnType<typeof openSessions>>;

/**
 * Opens the sessions of a store.
 *
 * @param watcher Called for each session: `onCreated` before the client gets it, `onEnded` to close what it has open.
 */
export async function openSessions(
  store: Store,
  clock: Clock,
  watcher: {
    onCreated(session: Session): Promise<void>;
    onEnded(id: string): void;
  },
) {
  const records = store.collection<Session>({
    name: "session",
    version: 1,
    schema: Session,
  });
  const live = new LiveSessions(clock);
  for (let cursor: string | undefined; ;) {
    const page = await records.list({ limit: 500, cursor });
    for (const session of page.items) live.keep(session);
    if (!page.nextCursor) break;
    cursor = page.nextCursor;
  }

  function noteSeen(found: LiveSession): void {
    if (live.now() - found.seenAt < SEEN_GRAIN_MS) return;
    const { id } = found.session;
    const lastSeenAt = new Date(live.now()).toISOString();
    // In memory at once, so that a hundred requests in this moment write once.
    found.session = { ...found.session, lastSeenAt };
    found.seenAt = live.now();
    void records
      .update(id, (current) => ({ record: { ...current, lastSeenAt } }))
      .catch(() => {
        // A full disk must not lock the owner out; the next minute tries again.
      });
  }

  async function end(id: string): Promise<boolean> {
    const found = live.byId.get(id);
    if (!found) return false;
    const { device } = found.session;
    await records.remove(id, { events: [SessionEnded.of(id, { device })] });
    live.drop(found.session);
    watcher.onEnded(id);
    return true;
  }

  return {
    /** All that are alive, the one seen last first. */
    list: () => live.list(),
    /** Ends one. `false` if there is none with this id. */
    end,
    get(id: string): Session | undefined {
      const found = live.byId.get(id);
      return found && live.isAlive(found) ? found.session : undefined;
    },
    /** The session whose token has this hash, if it is alive. Notes that it was seen. */
    find(tokenHash: string): Session | undefined {
      const found = live.byHash.get(tokenHash);
      if (!found) return undefined;
      if (!live.isAlive(found)) {
        // Removed from the store: after a restart nothing would know how late it had been.
        void end(found.session.id).catch(() => {});
        return undefined;
      }
      noteSeen(found);
      return found.session;
    },
    /** Makes a session; the token is given once and never stored. */
    async create(device: string, address: string) {
      for (const surplus of live.list().slice(MAX_SESSIONS - 1))
        await end(surplus.id);
      const token = createSecret();
      const id = createIdentifier("ses");
      const session = await records.insert(
        {
          ...{ id, device, address },
          tokenHash: hash("sha256", token, "base64url"),
          lastSeenAt: new Date(live.now()).toISOString(),
          expiresAt: new Date(live.now() + MAX_SESSION_MS).toISOString(),
        },
        { events: [SessionCreated.of(id, { device, address })] },
      );
      live.keep(session);
      await watcher.onCreated(session);
      return { session, token };
    },
  };
}
