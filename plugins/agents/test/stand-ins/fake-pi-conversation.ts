import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ZERO_USAGE } from "./fake-pi-parts.ts";

/** What the stand-in answers to a command: with data, or not at all. */
export type Reply = { data: object } | { refuse: string };

const COMMANDS = [
  { name: "reload", description: "Loads again", source: "extension" },
  { name: "fix", description: "Fixes it", source: "prompt" },
  { name: "skill:x", description: "Knows x", source: "skill" },
  { name: "bare", source: "extension" },
];

interface Line {
  type: "session" | "message" | "compaction";
  id: string;
  timestamp: string;
  message?: { role: "user"; content: { type: "text"; text: string }[] };
}

/** What was said before in a conversation, in its file: lines as pi writes them. */
export class FakeConversation {
  id: string;
  file: string;
  #lines: Line[] = [];
  readonly #home: string;

  constructor(home: string, file: string) {
    this.#home = home;
    this.file = file;
    const [head, ...lines] = existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Line)
      : [];
    this.id = head?.id ?? randomUUID();
    this.#lines = lines;
  }

  get prompts(): string[] {
    const from = this.#lines.findLastIndex(({ type }) => type === "compaction");
    return this.#lines
      .slice(from + 1)
      .map(({ message }) => message?.content[0]?.text ?? "");
  }

  say(prompt: string): void {
    this.#add(prompt);
    this.#save();
  }

  /** Copies and shrinks; `undefined` for other commands. */
  handle(
    type: string,
    entryId: unknown,
    { isNew, out }: { isNew: boolean; out: (line: object) => void },
  ): Reply | undefined {
    switch (type) {
      case "get_commands":
        return { data: { commands: COMMANDS } };
      case "get_fork_messages": {
        const messages = this.prompts.map((text, index) => ({
          entryId: `e${index}`,
          text,
        }));
        return { data: { messages } };
      }
      case "fork":
        this.#moveTo(this.prompts.slice(0, Number(String(entryId).slice(1))));
        return { data: { text: "", cancelled: false } };
      case "clone":
        if (this.prompts.length === 0)
          return { refuse: "Cannot clone session: no current entry selected" };
        this.#moveTo([...this.prompts]);
        return { data: { cancelled: false } };
      case "new_session":
        this.#moveTo([]);
        return { data: { cancelled: false } };
      case "compact":
        return this.#compact(isNew, out);
      default:
        return undefined;
    }
  }

  #compact(isNew: boolean, out: (line: object) => void): Reply {
    if (isNew && this.prompts.length < 2) {
      const reason = "Nothing to compact (session too small)";
      out({ type: "compaction_end", aborted: false, errorMessage: reason });
      return { refuse: reason };
    }
    out({ type: "compaction_start", reason: "manual" });
    const timestamp = new Date().toISOString();
    this.#lines.push({ type: "compaction", id: randomUUID(), timestamp });
    this.#save();
    out({ type: "compaction_end", aborted: false });
    const usage = { ...ZERO_USAGE, input: 9, cost: { total: 0.125 } };
    const known = isNew ? { estimatedTokensAfter: 100, usage } : {};
    return { data: { summary: "s", tokensBefore: 3000, ...known } };
  }

  /** Continues in a file of its own with these prompts. */
  #moveTo(prompts: string[]): void {
    this.#lines = [];
    for (const prompt of prompts) this.#add(prompt);
    this.id = randomUUID();
    this.file = join(this.#home, `${this.id}.jsonl`);
    this.#save();
  }

  #add(text: string): void {
    this.#lines.push({
      type: "message",
      id: randomUUID(),
      timestamp: new Date().toISOString(),
      message: { role: "user", content: [{ type: "text", text }] },
    });
  }

  #save(): void {
    const timestamp = new Date().toISOString();
    const head: Line = { type: "session", id: this.id, timestamp };
    const lines = [head, ...this.#lines].map((line) => JSON.stringify(line));
    writeFileSync(this.file, `${lines.join("\n")}\n`);
  }
}
