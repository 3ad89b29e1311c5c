import type { Clock, Finding } from "@gantry/plugin";
import type { Records } from "../records/records.ts";

/** A schedule may be late by this before it is reported: a store that fails is asked again within five minutes. */
const TOLERANCE_MS = 10 * 60_000;
const MAX_NAMED = 5;

/** Finds schedules whose next time is past: they should have fired, and did not. */
export async function findOverdue(
  { automations, states }: Records,
  clock: Clock,
  ids: Iterable<string>,
): Promise<Finding[]> {
  const latest = clock.now() - TOLERANCE_MS;
  const overdue: string[] = [];
  let count = 0;
  for (const id of ids) {
    const { schedules } = await states.get(id);
    const times = Object.values(schedules).flatMap((marks) =>
      marks.nextSlotAt === null
        ? []
        : Date.parse(marks.nextSlotAt) + marks.offsetMs,
    );
    const next = Math.min(...times);
    if (next > latest) continue;
    count++;
    if (overdue.length === MAX_NAMED) continue;
    const automation = await automations.get(id);
    if (!automation) continue;
    const due = new Date(next).toISOString();
    overdue.push(`"${automation.name}" (due at ${due})`);
  }
  if (count === 0) return [];
  const more = count - overdue.length;
  const names = overdue.join(", ") + (more > 0 ? ` and ${more} more` : "");
  return [
    {
      severity: "medium",
      code: "AUTOMATION_OVERDUE",
      what: `Schedules have not fired at their time: ${names}.`,
      fix: "Look at the log of the daemon for why; they fire as soon as the store can be written and earlier catch-ups have ended.",
    },
  ];
}
