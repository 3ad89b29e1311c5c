import type { Tone } from "@gantry/ui-kit";
import type { State } from "../wire.ts";

/** How the backup stands, in a few words. */
export interface Standing {
  title: string;
  tone: Tone;
  icon: string;
  /** What makes it so, where that is not plain. */
  detail?: string;
}

const MINUTE_MS = 60_000;
/** A snapshot that is overdue by less is late for no reason that matters: the machine slept, or a job was running. */
const GRACE_MS = 60 * MINUTE_MS;

/** How the backup stands at a time; `undefined` if no folder is chosen. */
export function standingOf(state: State, now: number): Standing | undefined {
  const { settings, problem, lastSnapshot } = state;
  if (settings.folder === null) return undefined;
  if (problem)
    return {
      title: titleOf(problem.code),
      tone: "failed",
      icon: "i-lucide-shield-alert",
      detail: problem.message,
    };
  if (!lastSnapshot)
    return {
      title: "No snapshot yet",
      tone: "attention",
      icon: "i-lucide-shield",
      detail: "Your data is safe once the first one is made.",
    };
  if (lastSnapshot.problem)
    return {
      title:
        lastSnapshot.standing === "damaged"
          ? "The newest snapshot is damaged"
          : "The newest snapshot is not proven",
      tone: "failed",
      icon: "i-lucide-shield-alert",
      detail: lastSnapshot.problem.message,
    };
  const age = now - Date.parse(lastSnapshot.createdAt);
  if (age > 2 * settings.everyMinutes * MINUTE_MS + GRACE_MS)
    return {
      title: "The last snapshot is old",
      tone: "attention",
      icon: "i-lucide-shield-alert",
      detail: "Snapshots are made while Gantry runs.",
    };
  return {
    title: "Your data is backed up",
    tone: "success",
    icon: "i-lucide-shield-check",
  };
}

function titleOf(code: string): string {
  if (code === "BACKUP_FOLDER_UNAVAILABLE")
    return "The backup folder cannot be reached";
  if (code === "BACKUP_DISK_FULL") return "The backup disk is full";
  if (code === "BACKUP_REHEARSAL_FAILED") return "A snapshot is not proven";
  if (code === "BACKUP_SNAPSHOT_CORRUPT") return "A snapshot is damaged";
  return "The last backup failed";
}

/** Whether a snapshot is known to restore. */
export const standingWords = {
  proven: { label: "Proven", tone: "success" },
  "not-proven": { label: "Not proven", tone: "neutral" },
  damaged: { label: "Damaged", tone: "failed" },
} as const;

/** Why a snapshot was made. */
export const reasonWords: Readonly<
  Record<"scheduled" | "manual" | "safety", string>
> = {
  scheduled: "Scheduled",
  manual: "Manual",
  safety: "Before a restore",
};
