import type { SessionFact } from "../../driver.ts";
import type { BackgroundWork } from "../../driver-reports.ts";
import type { ClaudeSystem } from "./claude-wire.ts";

/** States of a task that is not over. Any other state ends it. */
const GOING_ON: ReadonlySet<string> = new Set([
  "pending",
  "queued",
  "running",
  "started",
  "in_progress",
  "paused",
  "waiting",
]);

type WorkFact = Extract<SessionFact, { type: "work-started" | "work-ended" }>;

/**
 * Background work of Claude Code, which reports when a task begins, what it does, and when it is over. Newer versions also report
 * all tasks at once.
 */
export class ClaudeTasks {
  readonly #known = new Set<string>();

  /** Takes a line; gives what it says of tasks. */
  take(line: ClaudeSystem): WorkFact[] {
    if (line.subtype === "background_tasks_changed")
      return this.#takeAll(line.tasks ?? []);
    const { task_id: id } = line;
    if (id === undefined) return [];
    switch (line.subtype) {
      case "task_started":
        return isInBackground(line) ? [this.#began(id, line)] : [];
      case "task_progress":
        return this.#known.has(id) ? [this.#began(id, line)] : [];
      case "task_updated": {
        const status = line.patch?.status ?? line.status;
        if (line.patch?.is_backgrounded === true)
          return [this.#began(id, line)];
        return this.#told(id, line, status === undefined || isGoingOn(status));
      }
      case "task_notification": {
        const { status } = line;
        return this.#told(id, line, status !== undefined && isGoingOn(status));
      }
      default:
        return [];
    }
  }

  #takeAll(all: readonly TaskFields[]): WorkFact[] {
    const tasks = all.filter(isInBackground);
    const ids = new Set(tasks.map(({ task_id: id }) => id));
    const over = [...this.#known].filter((id) => !ids.has(id));
    return [
      ...tasks.flatMap((task) =>
        task.task_id === undefined ? [] : [this.#began(task.task_id, task)],
      ),
      ...over.map((id) => this.#ended(id)),
    ];
  }

  #told(id: string, line: TaskFields, goesOn: boolean): WorkFact[] {
    if (!this.#known.has(id)) return [];
    return [goesOn ? this.#began(id, line) : this.#ended(id)];
  }

  #began(id: string, fields: TaskFields): WorkFact {
    this.#known.add(id);
    const title = fields.description ?? "";
    const kind = toKind(fields.task_type ?? "");
    return { type: "work-started", work: { id, kind, title } };
  }

  #ended(id: string): WorkFact {
    this.#known.delete(id);
    return { type: "work-ended", workId: id };
  }
}

type TaskFields = Pick<
  ClaudeSystem,
  | "task_id"
  | "description"
  | "task_type"
  | "is_backgrounded"
  | "awaited"
  | "ambient"
>;

/** Whether a task continues when its turn is over, and brings a report. */
function isInBackground(task: TaskFields): boolean {
  const { is_backgrounded: isBackgrounded, awaited, ambient } = task;
  return isBackgrounded !== false && awaited !== true && ambient !== true;
}

function isGoingOn(status: string): boolean {
  return GOING_ON.has(status.toLowerCase());
}

function toKind(type: string): BackgroundWork["kind"] {
  if (/agent|workflow|teammate/.test(type)) return "agent";
  return type.includes("monitor") ? "monitor" : "task";
}
