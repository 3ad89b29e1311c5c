import type { TurnProblem } from "../driver-reports.ts";

/** Words of failures that a user can do something about, where a CLI has no mark for them. The first that fits counts. */
const WORDS: readonly (readonly [TurnProblem["kind"], RegExp])[] = [
  [
    "authentication",
    /invalid (x-)?api[ -]?key|api key not valid|authentication (required|failed|error)|please run \/login|not logged in|log in first|unauthori[sz]ed|oauth token (has )?(expired|been revoked)/i,
  ],
  [
    "billing",
    /credit balance|billing|payment required|insufficient (credits?|funds|balance)/i,
  ],
  [
    "usage-limit",
    /usage limit|(hit|reached) your .{0,40}limit|rate.?limit|quota (exceeded|exhausted)|insufficient_quota|too many requests/i,
  ],
  ["overload", /overloaded|at capacity|service unavailable/i],
  [
    "model",
    /issue with the selected model|model\b.{0,120}\b(not found|does not exist|not supported|no longer)|(unknown|no such|invalid) model/is,
  ],
];

/** Longest part of an error that is looked at. */
const MAX_READ = 4000;

/** Tells by the words of an error what the user can do something about; `null` if they do not say. */
export function classifyFailure(error: string): TurnProblem | null {
  const text = error.slice(0, MAX_READ);
  const kind = WORDS.find(([, words]) => words.test(text))?.[0];
  return kind === undefined ? null : { kind, resetsAt: null };
}
