import type { MinuteWalk, PlainRule } from "../support/minute-walk.ts";
import type { Epoch } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** A sleep or a jump is found out at the next look. */
const FOUND_OUT_MS = 30 * SECOND;
const STABLE_MS = 5 * SECOND;
const GAP_MS = 5 * SECOND;

/** What was wrong, by its kind. */
export interface Findings {
  slots: number;
  lost: string[];
  doubled: string[];
  silent: string[];
  /** Claimed without a slot, before its time, or under a wrong name. */
  wrong: string[];
}

export const noFindings = (): Findings => ({
  slots: 0,
  lost: [],
  doubled: [],
  silent: [],
  wrong: [],
});

/**
 * Holds what happened in an epoch against what the clocks of its zone say.
 * - A slot is lost if it was due, the daemon was awake for long enough after it, and neither it nor a later one was claimed.
 * - It is doubled if it was claimed twice.
 * - It is silent if it was due while the daemon was awake and steady, and has no record of its own; or if it was made up
 *   for and the record does not say so.
 */
export function judge(
  epoch: Epoch,
  { rule, zone }: { rule: PlainRule; zone: string },
  walk: MinuteWalk,
  findings: Findings,
  { schedules, slowestClaimMs }: { schedules: number; slowestClaimMs: number },
): void {
  const { armedAt, offsetMs, claims, awake, lastSlotAt } = epoch;
  const after = Math.max(armedAt, lastSlotAt ?? 0);
  const latest = Math.max(...awake.map(({ until }) => until));
  const from = Math.floor(armedAt / MINUTE) * MINUTE;
  // A schedule armed in the second pass of a repeated hour depends on the first pass.
  const all = walk(rule, zone, from - DAY, latest);
  const expected = all.filter((slot) => slot > after);
  const known = new Set(expected);
  const name = (slot: number) =>
    `${epoch.schedule.cron} in ${zone}, slot ${new Date(slot).toISOString()}`;

  let last = after;
  for (const { slotAt, firedAt, trigger } of claims) {
    if (slotAt <= last) findings.doubled.push(name(slotAt));
    else if (!known.has(slotAt)) findings.wrong.push(`none: ${name(slotAt)}`);
    last = Math.max(last, slotAt);
    const late = firedAt - slotAt - offsetMs;
    if (late < 0) findings.wrong.push(`early: ${name(slotAt)}`);
    const isHeldBack = awake.some(
      ({ from, until }) =>
        from <= slotAt + offsetMs &&
        slotAt + offsetMs <= until &&
        until - slotAt - offsetMs < slowestClaimMs,
    );
    if (late > FOUND_OUT_MS + STABLE_MS + slowestClaimMs)
      // The daemon may go away between the time at which something is due and the claim of it.
      if (trigger !== "catch-up" && !isHeldBack)
        findings.silent.push(`late by ${late} ms unsaid: ${name(slotAt)}`);
  }

  const own = new Set(claims.map(({ slotAt }) => slotAt));
  const lastClaim = Math.max(0, ...claims.map(({ slotAt }) => slotAt));
  const patience =
    FOUND_OUT_MS +
    STABLE_MS +
    schedules * Math.max(GAP_MS, slowestClaimMs) +
    slowestClaimMs;
  for (const slot of expected) {
    const due = slot + offsetMs;
    if (due > latest) break;
    findings.slots++;
    if (own.has(slot)) continue;
    // What the clock comes by again, after it was set back and a later slot had been claimed, is done with.
    const isSilent = awake.some(
      ({ from, until }, stretch) =>
        from + FOUND_OUT_MS + STABLE_MS <= due &&
        due + slowestClaimMs + STABLE_MS <= until &&
        !claims.some((one) => one.slotAt > slot && one.stretch < stretch),
    );
    if (isSilent) findings.silent.push(`unrecorded: ${name(slot)}`);
    if (lastClaim > slot) continue;
    const hadTime = awake.some(
      ({ from, until }) => until - Math.max(from, due) >= patience,
    );
    if (hadTime) findings.lost.push(name(slot));
  }
}
