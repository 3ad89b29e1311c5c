import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Row {
  type: string;
  uuid: string;
  parentUuid: string | null;
  timestamp: string;
  compacted?: boolean;
  message: { content: { type: string; text: string }[] };
}

/** The file in which Claude Code stores a conversation. */
export class FakeRecord {
  readonly id: string;
  readonly #folder: string;
  #rows: Row[] = [];

  constructor(id: string) {
    this.id = id;
    const cwd = process.cwd().replace(/[^a-zA-Z0-9]/g, "-");
    const home = process.env["HOME"] ?? "/nowhere";
    this.#folder = join(home, ".claude", "projects", cwd);
    if (existsSync(this.#file))
      this.#rows = readFileSync(this.#file, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Row);
  }

  get exists(): boolean {
    return this.#rows.length > 0;
  }

  /** The user's messages since the last compaction. */
  get prompts(): string[] {
    const from = this.#rows.findLastIndex(({ compacted }) => compacted);
    return this.#rows
      .slice(from + 1)
      .filter(({ type }) => type === "user")
      .map(({ message }) => message.content[0]?.text ?? "");
  }

  add(type: "user" | "assistant", text: string, uuid = randomUUID()): void {
    this.#append({ type, uuid, content: [{ type: "text", text }] });
  }

  compact(): void {
    this.#append({ type: "system", content: [], compacted: true });
  }

  /** Copies another record, up to a row or completely. */
  copy(from: FakeRecord, until: string | undefined): boolean {
    const end = from.#rows.findIndex(({ uuid }) => uuid === until);
    if (until !== undefined && end < 0) return false;
    for (const row of until === undefined
      ? from.#rows
      : from.#rows.slice(0, end + 1))
      this.#write(row);
    return true;
  }

  get #file(): string {
    return join(this.#folder, `${this.id}.jsonl`);
  }

  #append({
    type,
    uuid = randomUUID(),
    content,
    compacted = false,
  }: {
    type: string;
    uuid?: string;
    content: { type: string; text: string }[];
    compacted?: boolean;
  }): void {
    const parentUuid = this.#rows.at(-1)?.uuid ?? null;
    const role = type;
    this.#write({
      type,
      uuid,
      parentUuid,
      timestamp: new Date().toISOString(),
      ...(compacted ? { compacted } : {}),
      message: { role, content } as Row["message"],
    });
  }

  #write(row: Row): void {
    this.#rows.push(row);
    mkdirSync(this.#folder, { recursive: true });
    appendFileSync(this.#file, `${JSON.stringify(row)}\n`);
  }
}
