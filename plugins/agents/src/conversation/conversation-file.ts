import { createIdentifier } from "@gantry/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { entrySchema, type Entry } from "../transcript/entry.ts";

/** Largest file that can be imported. */
export const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

/** The first line of an exported conversation. */
const header = z.looseObject({
  gantry: z.literal("conversation"),
  version: z.number().int(),
});
const VERSION = 1;

/** A line of an exported conversation: the first one, or an entry. */
export const conversationLine = z.union([header, entrySchema]);

/** A conversation as JSON Lines: a line that says what it is, then one line an entry, the oldest first. */
export function writeConversation(
  agent: Pick<AgentRecord, "name" | "cli" | "model">,
  entries: readonly Entry[],
  exportedAt: string,
): string {
  const { name, cli, model } = agent;
  const first = {
    gantry: "conversation",
    version: VERSION,
    name,
    cli,
    model,
    exportedAt,
  };
  return [first, ...entries]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

/**
 * Reads what {@link writeConversation} wrote. The entries get ids of their own.
 *
 * @throws AGENT_IMPORT_INVALID, which names the line
 */
export function readConversation(bytes: Uint8Array): Entry[] {
  const lines = decode(bytes).split("\n");
  if (lines.at(-1)?.trim() === "") lines.pop();
  const [first = "", ...rest] = lines;
  const known = header.safeParse(parse(first, 1));
  if (!known.success)
    throw invalid(
      1,
      'is not the first line of an export: it lacks "gantry": "conversation"',
    );
  if (known.data.version > VERSION)
    throw invalid(
      1,
      `is of version ${known.data.version}, which is newer than this daemon knows (${VERSION})`,
    );
  return rest.map((line, index) => readEntry(line, index + 2));
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

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw errors.AGENT_IMPORT_INVALID({ reason: "The file is not UTF-8." });
  }
}

function invalid(line: number, what: string): Error {
  return errors.AGENT_IMPORT_INVALID({ reason: `Line ${line} ${what}.` });
}
