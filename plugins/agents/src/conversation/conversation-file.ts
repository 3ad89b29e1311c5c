import { createIdentifier } from "@gantry/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { entrySchema, type Entry } from "../transcript/entry.ts";

/** Maximum size of a file to import. */
export const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

/** The first line of an exported conversation. */
const header = z.looseObject({
  gantry: z.literal("conversation"),
  version: z.number().int(),
});
const VERSION = 1;

/** A line of an exported conversation: the first one, or an entry. */
export const conversationLine = z.union([header, entrySchema]);

/** Writes a conversation as JSON Lines: a header line, then one line per entry, oldest first. */
export async function* writeConversation(
  agent: Pick<AgentRecord, "name" | "cli" | "model">,
  entries: AsyncIterable<Entry>,
  exportedAt: string,
): AsyncGenerator<string> {
  const { name, cli, model } = agent;
  const first = {
    gantry: "conversation",
    version: VERSION,
    name,
    cli,
    model,
    exportedAt,
  };
  yield `${JSON.stringify(first)}\n`;
  for await (const entry of entries) yield `${JSON.stringify(entry)}\n`;
}

/**
 * Reads the format of {@link writeConversation}, line by line. Entries get new ids.
 *
 * @throws AGENT_IMPORT_INVALID, which names the line
 */
export function* readConversation(bytes: Uint8Array): Generator<Entry> {
  let number = 0;
  for (const line of linesOf(bytes)) {
    number += 1;
    if (number === 1) checkHeader(line);
    else yield readEntry(line, number);
  }
}

/** Yields the lines of a file, without the empty one after the last line feed. */
function* linesOf(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let start = 0; start <= bytes.length;) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found === -1 ? bytes.length : found;
    const line = decode(decoder, bytes.subarray(start, end));
    if (found === -1 && start > 0 && line.trim() === "") return;
    yield line;
    start = end + 1;
  }
}

const LINE_FEED = 0x0a;

function checkHeader(line: string): void {
  const known = header.safeParse(parse(line, 1));
  if (!known.success)
    throw invalid(
      1,
      'is not the first line of an export: it lacks "gantry": "conversation"',
    );
  if (known.data.version > VERSION)
    throw invalid(
      1,
      `is of version ${known.data.version}, which is newer than this daemon supports (${VERSION})`,
    );
}

function readEntry(line: string, number: number): Entry {
  const entry = entrySchema.safeParse(parse(line, number));
  if (entry.success) return { ...entry.data, id: createIdentifier("ent") };
  const [issue] = entry.error.issues;
  throw invalid(number, `has a wrong "${issue?.path.join(".") ?? ""}"`);
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw invalid(number, "is not JSON");
  }
}

function decode(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Uint8Array,
): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw errors.AGENT_IMPORT_INVALID({ reason: "The file is not UTF-8." });
  }
}

function invalid(line: number, what: string): Error {
  return errors.AGENT_IMPORT_INVALID({ reason: `Line ${line} ${what}.` });
}
