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

/** What the runs of the last week have cost, each written in the batch that ends its run. */
export interface SpentBook {
  /** The cost of a run that has ended. */
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
  const spent = new Map<string, Spent>();
  const isOld = ({ at }: Spent) => Date.parse(at) <= clock.now() - KEPT_MS;

  let cursor: string | undefined;
  do {
    const page = await store.list<Spent>(SPENT, { limit: PAGE, cursor });
    for (const { key, value } of page.items)
      if (!isOld(value)) spent.set(key, value);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);

  const nothing = (operations: StoreOperation[] = []): SpentChange => ({
    operations,
    done: () => {},
  });
  const toSet = (
    key: string,
    value: Spent,
    operations: StoreOperation[] = [],
  ): SpentChange => ({
    operations: [{ type: "set", key, value }, ...operations],
    done: () => void spent.set(key, value),
  });
  const keyOf = (runId: string, at: string) =>
    `${SPENT}${Date.parse(at)}:${runId}`;

  return {
    toAdd({ id, startedAt, finishedAt, reason, costUsd }) {
      if (startedAt === null || FREE.includes(reason)) return nothing();
      const at = finishedAt!;
      return toSet(keyOf(id, at), { at, usd: costUsd });
    },
    toCorrect(runId, usd) {
      const key = [...spent.keys()].find((one) => one.endsWith(`:${runId}`));
      const known = key && spent.get(key);
      if (!known || known.usd === usd) return nothing();
      return toSet(key, { ...known, usd });
    },
    toOwe: (runId) => [{ type: "set", key: OWED + runId, value: {} }],
    toSettle(runId, usd) {
      const removal = [{ type: "remove", key: OWED + runId } as const];
      if (usd === undefined) return nothing(removal);
      const at = clock.timestamp();
      return toSet(keyOf(runId, at), { at, usd }, removal);
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
      for (const [key, value] of spent) if (isOld(value)) spent.delete(key);
      for (;;) {
        const page = await store.list<Spent>(SPENT, { limit: PAGE });
        const old = page.items.filter(({ value }) => isOld(value));
        if (old.length === 0) return;
        await store.batch(old.map(({ key }) => ({ type: "remove", key })));
      }
    },
  };
}
