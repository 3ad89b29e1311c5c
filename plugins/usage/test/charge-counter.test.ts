import { createIdentifier, definePlugin, type Store } from "@gantry/plugin";
import type { TurnCharge, TurnCharges } from "@gantry/plugin-agents/contract";
import { startTestKernel } from "@gantry/plugin-testing";
import * as fc from "fast-check";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChargeCounter } from "../src/charges/charge-counter.ts";
import { reportUsage } from "../src/sums/usage-report.ts";
import { UsageBook } from "../src/sums/usage-book.ts";

const DAY = "2026-03-01";
const QUERY = { from: DAY, to: DAY, by: "day", timeZone: "UTC" } as const;

let kernel: Awaited<ReturnType<typeof startTestKernel>>;
let store!: Store;

beforeAll(async () => {
  const owner = definePlugin({
    id: "owner",
    api: 1,
    summary: "Has a store",
    mounts: [],
    setup: (ctx) => void (store = ctx.store),
  });
  kernel = await startTestKernel([owner]);
});
afterAll(() => kernel.stop());

/** The calls of a counter, each of which a crash can cut off. */
class Seam {
  /** Steps until it fails; none of the later ones is done. */
  stepsLeft = Number.POSITIVE_INFINITY;
  /** Whether the step that fails is done, but not confirmed. */
  isDone = false;
  readonly #delays: readonly number[];
  #steps = 0;

  /** @param delays How long each step takes, in rounds of the event loop. */
  constructor(delays: readonly number[]) {
    this.#delays = delays;
  }

  async step<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.stepsLeft <= 0) throw new Error("It is cut off.");
    this.stepsLeft -= 1;
    const isLast = this.stepsLeft === 0;
    const delay = this.#delays[this.#steps++ % this.#delays.length] ?? 0;
    for (let round = 0; round < delay; round++) await setImmediate();
    if (!isLast) return await work();
    if (this.isDone) await work();
    throw new Error("It is cut off.");
  }
}

/** Charges as the agents plugin keeps them, and a store below a prefix of its own. */
function createWorld(delays: readonly number[]) {
  const pending = new Map<string, TurnCharge>();
  const seam = new Seam(delays);
  const prefix = `${createIdentifier("run")}:`;
  const charges: TurnCharges = {
    pending: ({ limit }) =>
      seam.step(async () => ({ items: [...pending.values()].slice(0, limit) })),
    acknowledge: ({ ids }) =>
      seam.step(async () => ids.forEach((id) => void pending.delete(id))),
    listEarlierSums: async () => ({ items: [], nextCursor: null }),
  };
  const own = {
    get: (key: string) => seam.step(() => store.get(prefix + key)),
    list: async (start: string, options: object) => {
      const page = await store.list(prefix + start, options);
      const items = page.items.map(({ key, value }) => ({
        ...{ key: key.slice(prefix.length), value },
      }));
      return { ...page, items };
    },
    batch: (operations: Parameters<Store["batch"]>[0]) =>
      seam.step(() =>
        store.batch(
          operations.map((each) => ({ ...each, key: prefix + each.key })),
        ),
      ),
  } as unknown as Store;
  const book = new UsageBook(own, console as never);
  const { signal } = new AbortController();
  const log = { warn: () => {} } as never;
  const start = () =>
    new ChargeCounter({ ...{ store: own, book, charges, log, signal } });
  return { pending, seam, book, start };
}

const cost = fc.option(fc.integer({ min: 0, max: 50 }));
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("turn"), cost }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("late"), cost }) },
  fc.record({
    kind: fc.constant("count"),
    calls: fc.integer({ min: 1, max: 3 }),
    isAwaited: fc.boolean(),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("cut-off"),
      steps: fc.integer({ min: 1, max: 9 }),
      isDone: fc.boolean(),
      isRestart: fc.boolean(),
    }),
  },
) as fc.Arbitrary<
  | { kind: "turn" | "late"; cost: number | null }
  | { kind: "count"; calls: number; isAwaited: boolean }
  | { kind: "cut-off"; steps: number; isDone: boolean; isRestart: boolean }
>;

test("each charge is counted once, wherever counting is cut off", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { maxLength: 25 }),
      fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 12 }),
      async (actions, delays) => {
        const { pending, seam, book, start } = createWorld(delays);
        let counter = start();
        const running: Promise<void>[] = [];
        let last: TurnCharge | undefined;
        const known: { costUsd: number | null }[] = [];
        for (const each of actions) {
          if (each.kind === "count") {
            const calls = Array.from({ length: each.calls }, () =>
              counter.catchUp(),
            );
            running.push(...calls);
            for (const call of calls) call.catch(() => undefined);
            if (each.isAwaited) {
              await Promise.all(calls);
              expect(pending.size).toBe(0);
            } else await setImmediate();
          } else if (each.kind === "cut-off") {
            Object.assign(seam, { stepsLeft: each.steps, isDone: each.isDone });
            await counter.catchUp().catch(() => undefined);
            // A crash ends what the process was doing.
            await Promise.allSettled(running);
            seam.stepsLeft = Number.POSITIVE_INFINITY;
            if (each.isRestart) counter = start();
          } else if (each.kind === "turn" || last) {
            const usage = {
              inputTokens: null,
              outputTokens: null,
              costUsd: each.cost,
            };
            const id = createIdentifier("chg");
            const turn = { ...{ id, turnId: id, usage, earlierUsage: null } };
            const before = known.at(-1)?.costUsd ?? null;
            const isLate = each.kind === "late";
            const charge: TurnCharge = {
              ...{ agentId: "agent", agentName: "Agent" },
              ...{ model: null, automationId: null, stopReason: "end" },
              ...{ finishedAt: `${DAY}T12:00:00.000Z`, ...turn },
              ...(isLate && {
                turnId: last!.turnId,
                earlierUsage: { ...usage, costUsd: before },
              }),
            };
            pending.set(id, (last = charge));
            const total =
              each.cost === null && before === null
                ? null
                : (before ?? 0) + (each.cost ?? 0);
            if (isLate) known[known.length - 1] = { costUsd: total };
            else known.push({ costUsd: each.cost });
          }
        }
        await counter.catchUp();
        expect(pending.size).toBe(0);
        const { total } = await reportUsage(book, QUERY);
        const priced = known.flatMap(({ costUsd }) => costUsd ?? []);
        expect(total.turns).toBe(known.length);
        expect(total.ends.end).toBe(known.length);
        expect(total.unknown.cost).toBe(known.length - priced.length);
        expect(total.usage.costUsd).toBe(
          priced.length === 0
            ? null
            : priced.reduce((sum, each) => sum + each, 0),
        );
      },
    ),
    { numRuns: 300 },
  );
});
