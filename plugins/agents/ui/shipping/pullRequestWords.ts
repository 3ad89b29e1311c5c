import type { Tone } from "@gantry/ui-kit";
import type { Check, PullRequest } from "./wire.ts";

/** How a state of a pull request is shown. */
export const pullRequestStates: Readonly<
  Record<PullRequest["state"], { label: string; tone: Tone }>
> = {
  open: { label: "Open", tone: "active" },
  draft: { label: "Draft", tone: "neutral" },
  closed: { label: "Closed", tone: "failed" },
  merged: { label: "Merged", tone: "success" },
};

/** How a state of a check is shown. */
export const checkStates: Readonly<
  Record<Check["state"], { word: string; icon: string; color: string }>
> = {
  failed: {
    word: "failed",
    icon: "i-lucide-circle-x",
    color: "text-error",
  },
  pending: {
    word: "running",
    icon: "i-lucide-circle-dot-dashed",
    color: "text-primary",
  },
  passed: {
    word: "passed",
    icon: "i-lucide-circle-check",
    color: "text-success",
  },
  skipped: {
    word: "skipped",
    icon: "i-lucide-circle-slash",
    color: "text-muted",
  },
};

const order = Object.keys(checkStates);

/** Those that failed first, then those that run. */
export function sortChecks(checks: readonly Check[]): Check[] {
  return checks.toSorted(
    (one, other) =>
      order.indexOf(one.state) - order.indexOf(other.state) ||
      one.name.localeCompare(other.name),
  );
}

/** How checks stand, in a few words: `1 failed, 3 passed`. */
export function sumChecks(checks: readonly Check[]): string {
  if (checks.length === 0) return "No checks";
  const sums = order.flatMap((state) => {
    const { length } = checks.filter((check) => check.state === state);
    return length > 0
      ? [`${length} ${checkStates[state as Check["state"]].word}`]
      : [];
  });
  return `Checks: ${sums.join(", ")}`;
}

/** An address that a browser may open; `undefined` for what is none of the web. */
export function toWebAddress(url: string | null): string | undefined {
  return url !== null && /^https?:\/\//i.test(url) ? url : undefined;
}
