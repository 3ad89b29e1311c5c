import type { Tone } from "@gantry/ui-kit";
import type { RunSummary } from "../wire.ts";

type Reason = NonNullable<RunSummary["reason"]>;

const reasons: Record<Reason, string> = {
  busy: "busy",
  "rate-cap": "rate cap",
  "agent-in-terminal": "agent in terminal",
  "cost-cap": "cost cap",
  "cli-missing": "agent CLI missing",
  "daemon-restarted": "daemon restarted",
  timeout: "time limit",
  "permission-needed": "permission needed",
  "agent-error": "agent error",
  "target-gone": "agent gone",
  "trust-required": "folder not trusted",
  cancelled: "stopped",
};

/** The result of a run in words, and what it means. */
export function runInWords(
  run: Pick<RunSummary, "result" | "reason" | "startedAt">,
): { label: string; tone: Tone } {
  const reason = run.reason ? ` · ${reasons[run.reason]}` : "";
  switch (run.result) {
    case "running":
      return run.startedAt === null
        ? { label: "Queued", tone: "neutral" }
        : { label: "Running", tone: "active" };
    case "done":
      return { label: "Done", tone: "success" };
    case "skipped":
      return { label: `Skipped${reason}`, tone: "neutral" };
    case "failed":
      return { label: `Failed${reason}`, tone: "failed" };
  }
}

/** What set a run off. */
export function triggerInWords(run: RunSummary): string {
  switch (run.trigger) {
    case "schedule":
      return run.scheduleLabel ?? "Schedule";
    case "catch-up":
      return `${run.scheduleLabel ?? "Schedule"}, caught up`;
    case "webhook":
      return "Webhook";
    case "manual":
      return "By hand";
  }
}

/** How long a run took, in ms; `null` if nothing was started. */
export function durationOf(run: RunSummary, now: number): number | null {
  if (run.startedAt === null) return null;
  const end = run.finishedAt === null ? now : Date.parse(run.finishedAt);
  return Math.max(0, end - Date.parse(run.startedAt));
}
