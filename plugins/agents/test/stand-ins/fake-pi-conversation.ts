import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ZERO_USAGE } from "./fake-pi-parts.ts";

/** What the stand-in answers to a command: with data, or not at all. */
export type Reply = { data: object } | { refuse: string };

const COMMANDS = [
  { name: "reload", description: "Loads anew", source: "extension" },
  { name: "fix", description: "Fixes it", source: "prompt" },
  { name: "skill:x", description: "Knows x", source: "skill" },
  { name: "bare", source: "extension" },
];

/** What was said before in a conversation, in its file. */
export class FakeConversation {
  id: string;
  file: string;
  prompts: string[];
  readonly #home: string;

  constructor(home: string, file: string) {
    this.#home = home;
    this.file = file;
    const known = existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as {
          id: string;
          prompts?: string[];
        })
      : undefined;
    this.id = known?.id ?? randomUUID();
    this.prompts = known?.prompts ?? [];
  }

  say(prompt: string): void {
    this.prompts.push(prompt);
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
    this.prompts = [];
    this.#save();
    out({ type: "compaction_end", aborted: false });
    const usage = { ...ZERO_USAGE, input: 9, cost: { total: 0.125 } };
    const known = isNew ? { estimatedTokensAfter: 100, usage } : {};
    return { data: { summary: "s", tokensBefore: 3000, ...known } };
  }

  /** Goes on in a file of its own with these. */
  #moveTo(prompts: string[]): void {
    this.prompts = prompts;
    this.id = randomUUID();
    this.file = join(this.#home, `${this.id}.jsonl`);
    this.#save();
  }

  #save(): void {
    const { id, prompts } = this;
    writeFileSync(this.file, JSON.stringify({ id, prompts }));
  }
}
