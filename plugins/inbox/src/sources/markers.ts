import { keyPart } from "@gantry/plugin";
import type { Clock, Store } from "@gantry/plugin";

/** Events are kept for seven days, so nothing that came before a marker is delivered after eight. */
const KEPT_MS = 8 * 24 * 60 * 60 * 1000;
const PAGE = 500;

/** What is known of a thing that ended. */
export interface Marker {
  id: string;
  at: string;
  /** For a dialog: what it was answered with, if it was. */
  answer: string | null;
  /** For a run: the turn of it that was cut off. */
  turn?: { turnId: string; agentId: string };
}

/** What remains to be known of things that ended, because events of different kinds may be delivered out of order. */
export interface Markers {
  put(
    id: string,
    facts?: Partial<Pick<Marker, "answer" | "turn">>,
  ): Promise<void>;
  get(id: string): Promise<Marker | undefined>;
  ids(): Promise<string[]>;
  /** Forgets what no event that is still kept could ask for. */
  prune(): Promise<void>;
}

/** Keeps markers of one kind in a plugin's store. */
export function createMarkers(
  store: Store,
  clock: Clock,
  kind: string,
): Markers {
  const keyOf = (id: string) => `${kind}:${keyPart(id)}`;

  async function all(): Promise<{ key: string; value: Marker }[]> {
    const entries: { key: string; value: Marker }[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await store.list<Marker>(`${kind}:`, {
        limit: PAGE,
        cursor,
      });
      entries.push(...page.items);
      if (page.nextCursor === null) return entries;
      cursor = page.nextCursor;
    }
  }

  return {
    put: (id, facts) =>
      store.set(keyOf(id), {
        id,
        answer: null,
        ...facts,
        at: clock.timestamp(),
      } satisfies Marker),
    get: (id) => store.get<Marker>(keyOf(id)),
    ids: async () => (await all()).map(({ value }) => value.id),
    async prune() {
      const horizon = new Date(clock.now() - KEPT_MS).toISOString();
      const stale = (await all()).filter(({ value }) => value.at < horizon);
      if (stale.length > 0)
        await store.batch(stale.map(({ key }) => ({ type: "remove", key })));
    },
  };
}
