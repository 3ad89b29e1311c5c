import type { Store } from "@gantry/plugin";
import { SpendingChanged } from "../contract.ts";
import type { SpendLimits, SpendWindow } from "../wire/spending.ts";
import type { SpentBook } from "./spent.ts";

/** What the limits leave for one more run. */
export interface Grant {
  /** Whether it may start. */
  isGranted: boolean;
  /** What it may cost at most; `null` for no cap. */
  maxCostUsd: number | null;
  /** Whether that is less than its own cap, because of a limit. */
  isCut: boolean;
  /** Empty where there is no limit. */
  detail: string;
  figures: Record<string, number | null>;
  /** Releases the reserved amount. Idempotent. */
  release(): void;
}

/** What all automations spend, and what they may. */
export interface Spending {
  readonly limits: SpendLimits;
  setLimits(limits: SpendLimits): Promise<void>;
  /** Sets money aside for a run. */
  reserve(maxCostUsd: number | null): Grant;
  /** Sets aside again what a queued run was granted before the daemon restarted. */
  restore(grant: Pick<Grant, "maxCostUsd" | "isCut">): Grant;
  day(): SpendWindow;
  week(): SpendWindow;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const LIMITS = "spend-limits";
const NO_LIMITS: SpendLimits = { maxDailyUsd: null, maxWeeklyUsd: null };

/** Reads what may be spent. */
export async function openSpending(
  store: Store,
  spent: SpentBook,
): Promise<Spending> {
  const promised = new Set<{ usd: number }>();
  let limits = (await store.get<SpendLimits>(LIMITS)) ?? NO_LIMITS;

  function look(ms: number, limitUsd: number | null): SpendWindow {
    const { spentUsd, unknownRuns } = spent.sum(ms);
    let promisedUsd = 0;
    for (const { usd } of promised) promisedUsd += usd;
    const isOver = limitUsd !== null && spentUsd >= limitUsd;
    const state = isOver ? "over" : unknownRuns > 0 ? "unknown" : "under";
    return { limitUsd, spentUsd, promisedUsd, unknownRuns, state };
  }

  const isLimited = () =>
    limits.maxDailyUsd !== null || limits.maxWeeklyUsd !== null;
  const day = () => look(DAY_MS, limits.maxDailyUsd);
  const week = () => look(WEEK_MS, limits.maxWeeklyUsd);

  return {
    get limits() {
      return limits;
    },
    day,
    week,
    async setLimits(next) {
      await store.batch(
        [{ type: "set", key: LIMITS, value: next }],
        [SpendingChanged.of("spending", next)],
      );
      limits = next;
    },

    reserve(maxCostUsd) {
      if (!isLimited()) return unlimited(maxCostUsd);
      const windows = { day: day(), week: week() };
      const figures: Record<string, number | null> = {};
      let rest = Infinity;
      let full: string | undefined;
      for (const [name, window] of Object.entries(windows)) {
        const { limitUsd, spentUsd, promisedUsd, unknownRuns } = window;
        if (limitUsd === null) continue;
        const left = limitUsd - spentUsd - promisedUsd;
        const title = name === "day" ? "Day" : "Week";
        figures[`spentInLast${title}Usd`] = round(spentUsd);
        figures[`maxPer${title}Usd`] = limitUsd;
        figures["promisedUsd"] = round(promisedUsd);
        figures[`unknownRunsInLast${title}`] = unknownRuns;
        if (left <= 0)
          full ??=
            spentUsd >= limitUsd
              ? `All automations together have spent ${round(spentUsd)} of ${limitUsd} USD within the last ${name}.`
              : `The rest of the ${limitUsd} USD for a ${name} is set aside for runs that are going.`;
        rest = Math.min(rest, left);
      }
      if (full !== undefined)
        return {
          isGranted: false,
          maxCostUsd: null,
          isCut: true,
          detail: full,
          figures,
          release: () => {},
        };
      const isCut = maxCostUsd === null || maxCostUsd > rest;
      const promise = { usd: isCut ? rest : maxCostUsd };
      promised.add(promise);
      return {
        isGranted: true,
        maxCostUsd: promise.usd,
        isCut,
        detail: isCut
          ? `The run may cost ${round(rest)} USD, which is all that the spend limits leave.`
          : "The spend limits leave room for it.",
        figures,
        release: () => void promised.delete(promise),
      };
    },

    restore({ maxCostUsd, isCut }) {
      const grant = { ...unlimited(maxCostUsd), isCut };
      if (maxCostUsd === null || !isLimited()) return grant;
      const promise = { usd: maxCostUsd };
      promised.add(promise);
      return { ...grant, release: () => void promised.delete(promise) };
    },
  };
}

function unlimited(maxCostUsd: number | null): Grant {
  return {
    isGranted: true,
    maxCostUsd,
    isCut: false,
    detail: "",
    figures: {},
    release: () => {},
  };
}

const round = (usd: number) => Math.round(usd * 1e6) / 1e6;
