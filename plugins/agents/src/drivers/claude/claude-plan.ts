import * as z from "zod";
import type { PlanItem } from "../../driver-reports.ts";

const status = z
  .enum(["pending", "in_progress", "completed", "deleted"])
  .catch("pending");

const todos = z.looseObject({
  todos: z.array(z.looseObject({ content: z.string(), status })),
});
const creation = z.looseObject({ subject: z.string() });
const created = z.looseObject({
  task: z.looseObject({ id: z.string(), subject: z.string() }),
});
const change = z.looseObject({
  taskId: z.string(),
  status: status.optional(),
  subject: z.string().optional().catch(undefined),
});

type Status = z.infer<typeof status>;

/** The plan as it becomes known from tools: older versions write it whole, newer ones a step at a time. */
export class ClaudePlan {
  readonly #steps = new Map<string, { text: string; status: Status }>();
  readonly #calls = new Map<string, { name: string; input: unknown }>();

  /** A tool was called. */
  called(callId: string, name: string, input: unknown): void {
    if (["TodoWrite", "TaskCreate", "TaskUpdate"].includes(name))
      this.#calls.set(callId, { name, input });
  }

  /** A tool has answered; gives the plan if it is another one now. */
  answered(
    callId: string,
    failed: boolean,
    result: unknown,
  ): PlanItem[] | undefined {
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    if (!call || failed) return undefined;
    return this.#apply(call, result) ? this.#items() : undefined;
  }

  #apply({ name, input }: { name: string; input: unknown }, result: unknown) {
    if (name === "TodoWrite") {
      const { data } = todos.safeParse(input);
      if (!data) return false;
      this.#steps.clear();
      for (const [index, { content, status: now }] of data.todos.entries())
        this.#steps.set(String(index), { text: content, status: now });
      return true;
    }
    if (name === "TaskCreate") {
      const task = created.safeParse(result).data?.task;
      if (!task || !creation.safeParse(input).success) return false;
      this.#steps.set(task.id, { text: task.subject, status: "pending" });
      return true;
    }
    const { data } = change.safeParse(input);
    const step = data && this.#steps.get(data.taskId);
    if (!step) return false;
    step.status = data.status ?? step.status;
    step.text = data.subject ?? step.text;
    return true;
  }

  #items(): PlanItem[] {
    return [...this.#steps.values()].flatMap(({ text, status: now }) =>
      now === "deleted" ? [] : [{ text, status: now }],
    );
  }
}
