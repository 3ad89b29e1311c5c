import * as z from "zod";
import { showName } from "../plain-text.ts";
import { pathIn } from "./place.ts";

/** How the checks of a pull request stand, all together. */
export const CHECK_STATES = ["none", "pending", "passed", "failed"] as const;
type CheckSum = (typeof CHECK_STATES)[number];

const MAX_CHECKS = 200;
const MAX_URL_LENGTH = 2048;

/** An element of `statusCheckRollup` in the JSON of `gh`: a check run, or a commit status, which has other fields. */
export const ghCheck = z.object({
  /** Of a check run, such as the name of a job. */
  name: z.string().nullish(),
  workflowName: z.string().nullish(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  detailsUrl: z.string().nullish(),
  /** Of a commit status. */
  context: z.string().nullish(),
  state: z.string().nullish(),
  targetUrl: z.string().nullish(),
});

type GhCheck = z.infer<typeof ghCheck>;

/** A check as clients see it. */
export const checkView = z.object({
  /** No two of a pull request have the same. */
  name: z.string(),
  /** The workflow of GitHub Actions that it is a job of. */
  workflowName: z.string().nullable(),
  state: z.enum(["passed", "failed", "pending", "skipped"]),
  url: z.string().nullable(),
  /** Whether it failed and GitHub Actions has its log. */
  hasLog: z.boolean(),
});

/** A check, and what its log is asked for by. */
export interface Check {
  view: z.infer<typeof checkView>;
  /** Number of the job of GitHub Actions that failed. */
  job: string | undefined;
}

const STATES: Readonly<Record<string, Check["view"]["state"]>> = {
  SUCCESS: "passed",
  NEUTRAL: "skipped",
  SKIPPED: "skipped",
  PENDING: "pending",
  EXPECTED: "pending",
};
const ORDER = ["failed", "pending", "passed", "skipped"];

/**
 * Reads the checks of a pull request, those that failed first.
 *
 * @param place The repository that the pull request is for, such as `github.com/ann/it`.
 */
export function readChecks(all: readonly GhCheck[], place: string): Check[] {
  const checks = all.map((said) => toCheck(said, place));
  giveOwnNames(checks.map(({ view }) => view));
  const rank = ({ view }: Check) => ORDER.indexOf(view.state);
  return checks
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MAX_CHECKS);
}

/** How checks stand, all together. */
export function sumChecks(all: readonly GhCheck[]): CheckSum {
  if (all.length === 0) return "none";
  const states = all.map(stateOf);
  if (states.includes("failed")) return "failed";
  return states.includes("pending") ? "pending" : "passed";
}

function toCheck(said: GhCheck, place: string): Check {
  const { name, context, workflowName, detailsUrl, targetUrl } = said;
  const state = stateOf(said);
  const address = detailsUrl || targetUrl || "";
  const job =
    state === "failed"
      ? /^actions\/runs\/\d+\/job\/(\d+)$/.exec(
          pathIn(place, address) ?? "",
        )?.[1]
      : undefined;
  return {
    view: {
      name: showName(name || context || "") || "A check without a name",
      workflowName: workflowName ? showName(workflowName) : null,
      state,
      url: toWebAddress(address),
      hasLog: job !== undefined,
    },
    job,
  };
}

function stateOf({ status, conclusion, state }: GhCheck) {
  // A run has no conclusion before its end, a status is pending until then.
  const end =
    status && status !== "COMPLETED"
      ? "PENDING"
      : conclusion || state || "PENDING";
  return STATES[end] ?? "failed";
}

function toWebAddress(address: string): string | null {
  if (address.length > MAX_URL_LENGTH || !URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/** Puts the workflow before names that several checks have, and a number behind those that are still the same. */
function giveOwnNames(views: readonly Check["view"][]): void {
  const counts = new Map<string, number>();
  for (const { name } of views) counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Map<string, number>();
  for (const view of views) {
    const isShared = (counts.get(view.name) ?? 0) > 1;
    if (isShared && view.workflowName)
      view.name = `${view.workflowName} / ${view.name}`;
    const number = (taken.get(view.name) ?? 0) + 1;
    taken.set(view.name, number);
    if (number > 1) view.name = `${view.name} (${number})`;
  }
}
