import { MACHINE_PREFIX } from "@gantry/plugin";
import type { Clock, Store, StoreOperation } from "@gantry/plugin";
import type { RunRecord } from "../wire/run.ts";

/** The part of a run that says what was spent, and when. */
export type SpentRun = Pick<
  RunRecord,
  "id" | "startedAt" | "finishedAt" | "reason" | "costUsd"
>;

/** A change of what was spent: the operations to write, and what follows once they are written. */
export interface SpentChange {
  operations: StoreOperation[];
  done(): void;
}

/**
 * What the runs of the last week have cost, each written in the batch that ends its run. It is written twice: one copy goes
 * with a snapshot to another machine, the other one stays on this machine through a restore of what was before.
 */
export interface SpentBook {
  /** The cost of a run that has ended. A run that a restore has end once more is counted once. */
  toAdd(run: SpentRun): SpentChange;
  /** Another cost for a run that was added before; nothing for one that was not. */
  toCorrect(runId: string, costUsd: number): SpentChange;
  /** Notes that a run will leave nothing but its cost, since its automation is being deleted. */
  toOwe(runId: string): StoreOperation[];
  /** The cost of a run that was noted with {@link toOwe}; `undefined` if it never began. */
  toSettle(runId: string, costUsd: number | null | undefined): SpentChange;
  /** Ids of the runs that were noted with {@link toOwe} and are not settled. */
  owed(): Promise<string[]>;
  /** What was spent in a window that ends now, and how many of its runs have no known cost. */
  sum(windowMs: number): { spentUsd: number; unknownRuns: number };
  /** Forgets what is too old to count. */
  forget(): Promise<void>;
}

interface Spent {
  at: string;
  /** `null` if it is not known. */
  usd: number | null;
}

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const SPENT = "spent:";
const SPENT_HERE = MACHINE_PREFIX + SPENT;
const OWED = "owed:";
const PAGE = 500;

/** These end before the first word, so that nothing was spent. */
const FREE: readonly (string | null)[] = [
  "cli-missing",
  "trust-required",
  "target-gone",
];

/** Reads what was spent in the last week. */
export async function openSpentBook(
  store: Store,
  clock: Clock,
): Promise<SpentBook> {
  const isOld = ({ at }: Spent) => Date.parse(at) <= clock.now() - KEPT_MS;
  const nameOf = (runId: string, { at }: Spent) => `${Date.parse(at)}:${runId}`;

  async function read(prefix: string): Promise<Map<string, Spent>> {
    const found = new Map<string, Spent>();
    let cursor: string | undefined;
    do {
      const page = await store.list<Spent>(prefix, { limit: PAGE, cursor });
      for (const { key, value } of page.items) {
        const runId = key.slice(key.indexOf(":", prefix.length) + 1);
        if (!isOld(value)) found.set(runId, value);
      }
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  }

  const inRecords = await read(SPENT);
  const here = await read(SPENT_HERE);
  const spent = new Map([...inRecords, ...here]);
  // After a restore the records lack what was spent since, or say what it was said to cost then.
  const lost = [...here].filter(
    ([runId, { usd }]) => inRecords.get(runId)?.usd !== usd,
  );
  for (let from = 0; from < lost.length; from += PAGE)
    await store.batch(
      lost.slice(from, from + PAGE).map(([runId, value]) => ({
        type: "set",
        key: SPENT + nameOf(runId, value),
        value,
      })),
    );

  const nothing = (operations: StoreOperation[] = []): SpentChange => ({
    operations,
    done: () => {},
  });

  function toSet(
    runId: string,
    given: Spent,
    operations: StoreOperation[] = [],
  ): SpentChange {
    const known = spent.get(runId);
    const { at } = known ?? given;
    const value: Spent = { at, usd: given.usd ?? known?.usd ?? null };
    const name = nameOf(runId, value);
    return {
      operations: [
        ...[SPENT, SPENT_HERE].map((prefix): StoreOperation => ({
          type: "set",
          key: prefix + name,
          value,
        })),
        ...operations,
      ],
      done: () => void spent.set(runId, value),
    };
  }

  return {
    toAdd({ id, startedAt, finishedAt, reason, costUsd }) {
      if (startedAt === null || FREE.includes(reason)) return nothing();
      return toSet(id, { at: finishedAt!, usd: costUsd });
    },
    toCorrect(runId, usd) {
      const known = spent.get(runId);
      if (!known || known.usd === usd) return nothing();
      return toSet(runId, { ...known, usd });
    },
    toOwe: (runId) => [{ type: "set", key: OWED + runId, value: {} }],
    toSettle(runId, usd) {
      const removal = [{ type: "remove", key: OWED + runId } as const];
      if (usd === undefined) return nothing(removal);
      return toSet(runId, { at: clock.timestamp(), usd }, removal);
    },
    owed: async () =>
      (await store.keys(OWED)).map((key) => key.slice(OWED.length)),
    sum(windowMs) {
      const after = clock.now() - windowMs;
      let spentUsd = 0;
      let unknownRuns = 0;
      for (const { at, usd } of spent.values()) {
        if (Date.parse(at) <= after) continue;
        if (usd === null) unknownRuns++;
        else spentUsd += usd;
      }
      return { spentUsd, unknownRuns };
    },
    async forget() {
      for (const [runId, value] of spent) if (isOld(value)) spent.delete(runId);
      for (const prefix of [SPENT, SPENT_HERE])
        for (;;) {
          const page = await store.list<Spent>(prefix, { limit: PAGE });
          const old = page.items.filter(({ value }) => isOld(value));
          if (old.length === 0) break;
          await store.batch(old.map(({ key }) => ({ type: "remove", key })));
        }
    },
  };
}
