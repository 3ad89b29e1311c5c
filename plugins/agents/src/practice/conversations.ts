import { randomUUID } from "node:crypto";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** What was said, in order. */
export interface Said {
  role: "user" | "agent";
  text: string;
}

/** One conversation of the practice agent. */
export interface Conversation {
  id: string;
  cwd: string;
  said: Said[];
  /** What it has cost so far, in pretended USD. */
  costUsd: number;
  /** Titles that were allowed for good. */
  allowed: Set<string>;
}

/** Conversations, kept in a folder if there is one, so that they can be gone on with. */
export class Conversations {
  readonly #folder: string | undefined;
  readonly #open = new Map<string, Conversation>();

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  get keeps(): boolean {
    return this.#folder !== undefined;
  }

  async begin(cwd: string): Promise<Conversation> {
    const conversation = create(`practice-${randomUUID()}`, cwd);
    if (this.#folder)
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#append(conversation, { begun: new Date().toISOString() });
    this.#open.set(conversation.id, conversation);
    return conversation;
  }

  get(id: string): Conversation | undefined {
    return this.#open.get(id);
  }

  /** Reads a conversation of an earlier process, `undefined` if there is none. */
  async load(id: string, cwd: string): Promise<Conversation | undefined> {
    if (!this.#folder || !/^practice-[0-9a-f-]{36}$/.test(id)) return undefined;
    const text = await readFile(this.#fileOf(this.#folder, id), "utf8").catch(
      () => undefined,
    );
    if (text === undefined) return undefined;
    const conversation = create(id, cwd);
    for (const line of text.split("\n")) restore(conversation, line);
    this.#open.set(id, conversation);
    return conversation;
  }

  async say(conversation: Conversation, said: Said): Promise<void> {
    conversation.said.push(said);
    await this.#append(conversation, { said });
  }

  async spend(conversation: Conversation, usd: number): Promise<void> {
    conversation.costUsd = Math.round((conversation.costUsd + usd) * 1e9) / 1e9;
    await this.#append(conversation, { costUsd: conversation.costUsd });
  }

  async #append({ id }: Conversation, line: object): Promise<void> {
    if (!this.#folder) return;
    await appendFile(
      this.#fileOf(this.#folder, id),
      `${JSON.stringify(line)}\n`,
      { mode: 0o600 },
    );
  }

  #fileOf(folder: string, id: string): string {
    return join(folder, `${id}.jsonl`);
  }
}

function create(id: string, cwd: string): Conversation {
  return { id, cwd, said: [], costUsd: 0, allowed: new Set() };
}

/** A line that a kill has torn is passed over. */
function restore(conversation: Conversation, line: string): void {
  try {
    const { said, costUsd } = JSON.parse(line) as {
      said?: Said;
      costUsd?: number;
    };
    if (said) conversation.said.push(said);
    if (costUsd !== undefined) conversation.costUsd = costUsd;
  } catch {
    return;
  }
}
