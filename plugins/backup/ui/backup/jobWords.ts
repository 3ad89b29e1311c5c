import type { Job } from "../wire.ts";

type Step = Job["step"];

/** All steps in the order in which a job takes those that it has. */
export const STEPS: readonly Step[] = [
  "reading",
  "writing",
  "checking",
  "staging",
  "rehearsing",
  "safety-snapshot",
  "replacing",
];

/** What a job is called. */
export const jobTitles: Readonly<Record<Job["kind"], string>> = {
  snapshot: "Backing up",
  verification: "Proving a snapshot",
  restore: "Restoring",
};

const stepWords: Readonly<Record<Step, string>> = {
  reading: "Reading your data",
  writing: "Writing the snapshot",
  checking: "Checking every file",
  "safety-snapshot": "Taking a safety snapshot",
  staging: "Checking and unpacking every file",
  rehearsing: "Starting Gantry on the copy",
  replacing: "Putting it in place",
};

/** What a job does now. */
export const stepInWords = ({ step }: Pick<Job, "step">): string =>
  stepWords[step];

/** How far a job is, 0 to 99; `undefined` where that is not known. It is done only when it is over. */
export function percentOf({ doneBytes, totalBytes }: Job): number | undefined {
  if (totalBytes === null || totalBytes <= 0) return undefined;
  return Math.min(99, Math.floor((doneBytes / totalBytes) * 100));
}

/** The steps of a restore as a person follows them, and how far each is. */
export function restoreSteps(
  job: Job | undefined,
): { step: Step; label: string; state: "done" | "active" | "waiting" }[] {
  const steps: readonly Step[] = ["staging", "safety-snapshot", "replacing"];
  // A step that is not shown belongs to the shown one before it.
  const at = job ? STEPS.indexOf(job.step) : -1;
  const active = steps.findLast((step) => STEPS.indexOf(step) <= at);
  const current = active ? steps.indexOf(active) : 0;
  return steps.map((step, index) => ({
    step,
    label: stepWords[step],
    state: index < current ? "done" : index === current ? "active" : "waiting",
  }));
}

/** The later of two reports: of the job that began later, and of one job the one that was further. */
export function newerOf(
  one: Job | undefined,
  other: Job | undefined,
): Job | undefined {
  if (!one || !other) return one ?? other;
  if (one.startedAt !== other.startedAt)
    return one.startedAt > other.startedAt ? one : other;
  const steps = STEPS.indexOf(other.step) - STEPS.indexOf(one.step);
  return (steps || other.doneBytes - one.doneBytes) >= 0 ? other : one;
}
