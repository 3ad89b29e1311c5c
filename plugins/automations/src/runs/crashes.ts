import type { StoreOperation } from "@gantry/plugin";
import type { AutomationState } from "../records/automation-state.ts";
import type { MachineMarks } from "../records/machine-marks.ts";
import type { RunRecord } from "../wire/run.ts";

/** A run that its agent ended with an error within so short a time never got to work. */
const AT_ONCE_MS = 10_000;
const WINDOW_MS = 10 * 60_000;
/** So many in a window are enough: more of the same would only cost starts. */
const MAX_CRASHES = 5;

/** When runs of an automation crashed lately, after one more has ended. One that worked takes back all before it. */
function withCrash(
  crashes: readonly string[],
  { result, reason, startedAt, finishedAt }: RunRecord,
): string[] {
  if (result === "done") return [];
  const isCrash =
    reason === "agent-error" &&
    startedAt !== null &&
    finishedAt !== null &&
    Date.parse(finishedAt) - Date.parse(startedAt) < AT_ONCE_MS;
  return isCrash ? [...crashes, finishedAt].slice(-MAX_CRASHES) : [...crashes];
}

/** When runs of an automation crashed lately, after one more has ended, and what notes it: no restore takes that back. */
export async function addCrash(
  marks: Pick<MachineMarks, "crashes" | "toNoteCrashes">,
  { id, crashes }: Pick<AutomationState, "id" | "crashes">,
  run: RunRecord,
): Promise<{ crashes: string[]; note: StoreOperation[] }> {
  const known = (await marks.crashes(id)) ?? crashes;
  const next = withCrash(known, run);
  const isSame = next.join() === known.join();
  const at = run.finishedAt ?? run.firedAt;
  return {
    crashes: next,
    note: isSame ? [] : marks.toNoteCrashes(id, at, next),
  };
}

/** Until when nothing is to start by itself, because too much crashed; `undefined` if it may. */
export function crashedUntil(
  crashes: readonly string[],
  now: number,
): { until: number; count: number } | undefined {
  const lately = crashes
    .map((at) => Date.parse(at))
    // What lies ahead is of a clock that was wrong.
    .filter((at) => at <= now && now - at < WINDOW_MS);
  if (lately.length < MAX_CRASHES) return undefined;
  return { until: Math.min(...lately) + WINDOW_MS, count: lately.length };
}
