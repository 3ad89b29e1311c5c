import type { Audience } from "./performance.ts";

interface Update {
  sessionUpdate: string;
  title?: string;
  status?: string;
  content?: unknown;
  entries?: { content: string; status: string }[];
  cost?: { amount: number };
  used?: number;
  size?: number;
}

interface PermissionRequest {
  toolCall: { title: string };
  options: { optionId: string; name: string }[];
}

const MARKS: Readonly<Record<string, string>> = {
  completed: "x",
  in_progress: ">",
};

/** Shows what the agent does as lines of text, and asks its questions there. */
export class ScreenWriter implements Audience {
  readonly #write: (text: string) => void;
  readonly #readLine: () => Promise<string | undefined>;

  constructor(
    write: (text: string) => void,
    readLine: () => Promise<string | undefined>,
  ) {
    this.#write = write;
    this.#readLine = readLine;
  }

  notify(_method: string, params: object): void {
    const { update } = params as { update: Update };
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        return this.#write(textOf(update.content));
      case "agent_thought_chunk":
        return this.#write(`(thinks: ${textOf(update.content)})\n`);
      case "tool_call":
        return this.#write(`\n[${update.title ?? "tool"}]\n`);
      case "tool_call_update":
        if (update.status !== "completed" && update.status !== "failed") return;
        return this.#write(`${textOf(update.content)}\n`);
      case "plan":
        for (const { content, status } of update.entries ?? [])
          this.#write(`[${MARKS[status] ?? " "}] ${content}\n`);
        return;
      case "usage_update":
        return this.#write(
          update.cost
            ? `(spent $${update.cost.amount} so far)\n`
            : `(read ${update.used ?? 0} of ${update.size ?? 0} tokens)\n`,
        );
    }
  }

  async request(_method: string, params: object): Promise<unknown> {
    const { toolCall, options } = params as PermissionRequest;
    const choices = options.map(({ name }, index) => `${index + 1} ${name}`);
    this.#write(`${toolCall.title} — ${choices.join(", ")}? `);
    const answer = await this.#readLine();
    const chosen = options[Number(answer?.trim()) - 1];
    return chosen
      ? { outcome: { outcome: "selected", optionId: chosen.optionId } }
      : { outcome: { outcome: "cancelled" } };
  }
}

function textOf(content: unknown): string {
  if (Array.isArray(content)) return content.map(textOf).join("\n");
  const { text, content: inner } = content as {
    text?: string;
    content?: unknown;
  };
  return text ?? (inner === undefined ? "" : textOf(inner));
}
