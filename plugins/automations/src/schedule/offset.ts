import { createHash } from "node:crypto";
import { intervalOf } from "./rule.ts";
import type { Rule } from "./rule.ts";

const MAX_OFFSET_MS = 5 * 60_000;

/** The offset of a rule is below this: half of its interval, and never over five minutes. */
export function largestOffset(rule: Rule): number {
  return Math.min(intervalOf(rule) / 2, MAX_OFFSET_MS);
}

/**
 * How long after its slots a schedule fires, in ms. It follows from the schedule's id, so it stays the same for as long
 * as the rule does, and schedules for the same time do not all start at once.
 */
export function offsetOf(scheduleId: string, rule: Rule): number {
  const hash = createHash("sha256").update(scheduleId).digest();
  return hash.readUIntBE(0, 6) % largestOffset(rule);
}
