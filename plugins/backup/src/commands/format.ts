import type { CommandInput } from "@gantry/plugin";
import type { Snapshot } from "../contract.ts";
import {
  describeOtherHomes,
  listOtherHomes,
} from "../snapshots/other-homes.ts";

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A size as people read it: `1.2 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 999.5 && unit < UNITS.length - 1; unit++) value /= 1000;
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** A moment in the local time of this machine: `2026-03-02 12:01`. */
export function formatTime(timestamp: string): string {
  const time = new Date(timestamp);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = [
    time.getFullYear(),
    two(time.getMonth() + 1),
    two(time.getDate()),
  ].join("-");
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** A number with its word: `1 file`, `1,234 files`. */
export function formatCount(count: number, word: string): string {
  return `${count.toLocaleString("en-US")} ${word}${count === 1 ? "" : "s"}`;
}

/** One snapshot in a line. */
export function describeSnapshot(snapshot: Snapshot): string {
  const { createdAt, id, contentBytes, ownBytes, records, files } = snapshot;
  const facts = [
    formatTime(createdAt),
    id,
    snapshot.reason,
    `${formatBytes(contentBytes)} (${formatBytes(ownBytes)} added)`,
    `${formatCount(records, "record")}, ${formatCount(files, "file")}`,
  ];
  if (snapshot.leftOut > 0) facts.push(`${snapshot.leftOut} left out`);
  if (snapshot.isEncrypted) facts.push("encrypted");
  if (snapshot.otherHome !== null) facts.push(`of ${snapshot.otherHome}`);
  facts.push(describeStanding(snapshot));
  return facts.join("  ");
}

/** Says whose snapshots are in the folder, if not only those of this home. */
export function warnOfOtherHomes(
  { print }: Pick<CommandInput, "print">,
  snapshots: readonly Snapshot[],
): void {
  const words = describeOtherHomes(listOtherHomes(snapshots));
  if (words !== undefined) print(`Warning: ${words}`);
}

function describeStanding({ standing, verifiedAt, problem }: Snapshot): string {
  const why = problem ? `: ${problem.message}` : "";
  if (standing === "damaged") return `DAMAGED${why}`;
  if (standing === "not-proven" || verifiedAt === null)
    return `not proven${why}`;
  return `proven ${formatTime(verifiedAt)}`;
}
