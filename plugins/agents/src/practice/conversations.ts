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
  /** What was said before this place is not known any more: the conversation was compacted here. */
  knownFrom: number;
  /** What it has cost so far, in pretended USD. */
  costUsd: number;
  /** Titles that were allowed permanently. */
  allowed: Set<string>;
}

const ID = /^practice-[0-9a-f-]{36}$/;

/** Makes the id of a conversation that has not begun. */
export function createConversationId(): string {
  return `practice-${randomUUID()}`;
}

/** Conversations, kept in a folder if there is one, so that they can be resumed. */
export class Conversations {
  readonly #folder: string | undefined;
  readonly #agentId: string | undefined;
  readonly #open = new Map<string, Conversation>();

  /** @param agentId The agent of the daemon that new conversations belong to, and are deleted with. */
  constructor(folder: string | undefined, agentId?: string) {
    this.#folder = folder;
    this.#agentId = agentId;
  }

  get keeps(): boolean {
    return this.#folder !== undefined;
  }

  /** Begins one, by the id that its client chose for it if there is one. */
  async begin(
    cwd: string,
    id: string = createConversationId(),
  ): Promise<Conversation> {
    if (!ID.test(id)) throw new Error(`"${id}" is no id of a conversation.`);
    const conversation = create(id, cwd);
    if (this.#folder)
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#append(conversation, {
      begun: new Date().toISOString(),
      agentId: this.#agentId,
    });
    this.#open.set(conversation.id, conversation);
    return conversation;
  }

  get(id: string): Conversation | undefined {
    return this.#open.get(id);
  }

  /** Reads a conversation of an earlier process, `undefined` if there is none. */
  async load(id: string, cwd: string): Promise<Conversation | undefined> {
    if (!this.#folder || !ID.test(id)) return undefined;
    const text = await readFile(this.#fileOf(this.#folder, id), "utf8").catch(
      () => undefined,
    );
    if (text === undefined) return undefined;
    const conversation = create(id, cwd);
    for (const line of text.split("\n")) restore(conversation, line);
    this.#open.set(id, conversation);
    return conversation;
  }

  /**
   * Begins a copy with the first `keepPrompts` prompts of a conversation and what follows each of them, or with all. What
   * the conversation has cost goes with the copy, as with other agents.
   */
  async fork(
    from: Conversation,
    cwd: string,
    keepPrompts: number | null,
  ): Promise<Conversation> {
    const copy = await this.begin(cwd);
    let prompts = 0;
    for (const [index, said] of from.said.entries()) {
      if (said.role === "user") prompts += 1;
      if (keepPrompts !== null && prompts > keepPrompts) break;
      if (index > 0 && index === from.knownFrom) await this.compact(copy);
      await this.say(copy, said);
    }
    await this.spend(copy, from.costUsd);
    return copy;
  }

  /** Forgets what was said so far. It stays in the file. */
  async compact(conversation: Conversation): Promise<void> {
    conversation.knownFrom = conversation.said.length;
    await this.#append(conversation, { compacted: true });
  }

  async say(conversation: Conversation, said: Said): Promise<void> {
    conversation.said.push(said);
    await this.#append(conversation, { said, at: new Date().toISOString() });
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
  return { id, cwd, said: [], knownFrom: 0, costUsd: 0, allowed: new Set() };
}

/** A line that a kill has torn is passed over. */
function restore(conversation: Conversation, line: string): void {
  try {
    const { said, costUsd, compacted } = JSON.parse(line) as {
      said?: Said;
      costUsd?: number;
      compacted?: boolean;
    };
    if (compacted) conversation.knownFrom = conversation.said.length;
    if (said) conversation.said.push(said);
    if (costUsd !== undefined) conversation.costUsd = costUsd;
  } catch {
    return;
  }
}
