import type { TurnProblem, UsageWindow } from "../../driver-reports.ts";
import { readAmount } from "../money.ts";
import type { ClaudeRateLimit } from "./claude-wire.ts";

const WINDOWS: Readonly<Record<string, string>> = {
  five_hour: "5 hours",
  seven_day: "7 days",
  seven_day_opus: "7 days (Opus)",
  seven_day_sonnet: "7 days (Sonnet)",
  overage: "extra usage",
};

/** A window of the subscription, as it is shown. */
export function toWindow(limit: ClaudeRateLimit): UsageWindow {
  const { rateLimitType: type, utilization } = limit;
  const share = readAmount(utilization);
  return {
    name:
      type === undefined
        ? "subscription"
        : (WINDOWS[type] ?? type.replaceAll("_", " ")),
    // Told as a share of 1.
    usedPercent: share === null ? null : Math.round(Math.min(share, 1) * 100),
    resetsAt: toTime(limit.resetsAt),
    state: isRejected(limit)
      ? "used-up"
      : limit.status === "allowed_warning"
        ? "nearly-used"
        : "open",
  };
}

/** Whether requests are refused, and not paid for beside the subscription. */
export function isRejected({
  status,
  overageStatus,
  isUsingOverage,
}: ClaudeRateLimit): boolean {
  const isPaid =
    isUsingOverage === true || overageStatus?.startsWith("allowed") === true;
  return status === "rejected" && !isPaid;
}

/** The marks that Claude Code gives to words that stand for a failed request. */
const MARKS: Readonly<Record<string, TurnProblem["kind"]>> = {
  rate_limit: "usage-limit",
  authentication_failed: "authentication",
  oauth_org_not_allowed: "authentication",
  verification_required: "authentication",
  cloud_credential_error: "authentication",
  billing_error: "billing",
  account_on_hold: "billing",
  server_error: "overload",
  overloaded: "overload",
  overloaded_error: "overload",
  model_not_found: "model",
};

/** What a mark means for the user; `null` if there is nothing to be done about it. */
export function toProblem(
  mark: string,
  resetsAt: string | null,
): TurnProblem | null {
  const kind = MARKS[mark];
  if (kind === undefined) return null;
  return { kind, resetsAt: kind === "usage-limit" ? resetsAt : null };
}

/** Seconds since 1970, or milliseconds, as RFC 3339; `null` for what is no time of this age. */
export function toTime(value: unknown): string | null {
  const amount = readAmount(value);
  if (amount === null) {
    const parsed = typeof value === "string" ? Date.parse(value) : Number.NaN;
    return Number.isNaN(parsed) ? null : new Date(parsed).toISOString();
  }
  const ms = amount < 1e11 ? amount * 1000 : amount;
  return ms > 0 && ms < 8.64e15 ? new Date(ms).toISOString() : null;
}
