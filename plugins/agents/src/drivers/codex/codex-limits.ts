import * as z from "zod";
import type { TurnProblem, UsageWindow } from "../../driver-reports.ts";
import { readAmount } from "../money.ts";

const window = z
  .object({
    usedPercent: z.unknown().optional(),
    windowDurationMins: z.unknown().optional(),
    /** Seconds since 1970. */
    resetsAt: z.unknown().optional(),
  })
  .nullish()
  .catch(null);

/** What `account/rateLimits/updated` tells. */
export const rateLimitsUpdated = z.object({
  rateLimits: z.object({ primary: window, secondary: window }),
});

type Window = NonNullable<z.infer<typeof window>>;

/** Share of a window in percent from which on it is nearly used up. */
const NEARLY = 80;

/** The limits of the subscription, as they are shown. */
export function toWindows({
  rateLimits: { primary, secondary },
}: z.infer<typeof rateLimitsUpdated>): UsageWindow[] {
  return [primary, secondary].flatMap((one) => (one ? [toWindow(one)] : []));
}

function toWindow(given: Window): UsageWindow {
  const used = readAmount(given.usedPercent);
  const resetsAt = readAmount(given.resetsAt);
  const isTime = resetsAt !== null && resetsAt > 0 && resetsAt < 1e11;
  return {
    name: toName(readAmount(given.windowDurationMins)),
    usedPercent: used === null ? null : Math.min(100, Math.round(used)),
    resetsAt: isTime ? new Date(resetsAt * 1000).toISOString() : null,
    state:
      used === null || used < NEARLY
        ? "open"
        : used < 100
          ? "nearly-used"
          : "used-up",
  };
}

function toName(minutes: number | null): string {
  if (minutes === null || minutes === 0) return "subscription";
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

/** What Codex calls failures that the user can do something about. */
const KINDS: Readonly<Record<string, TurnProblem["kind"]>> = {
  usageLimitExceeded: "usage-limit",
  unauthorized: "authentication",
  serverOverloaded: "overload",
};

/** What the user can do about a failure, by what Codex calls it and the windows that are used up. */
export function toProblem(
  info: unknown,
  windows: readonly UsageWindow[],
): TurnProblem | null {
  const kind = typeof info === "string" ? KINDS[info] : undefined;
  if (kind === undefined) return null;
  if (kind !== "usage-limit") return { kind, resetsAt: null };
  const times = windows
    .filter(({ state }) => state === "used-up")
    .map(({ resetsAt }) => resetsAt)
    .filter((time) => time !== null);
  return { kind, resetsAt: times.toSorted().at(-1) ?? null };
}
