import { createReadStream } from "node:fs";
import { access, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import type { CliCommand } from "../../driver.ts";
import type { RecordedMessage } from "../holds-prompt.ts";
import { LineSplitter } from "../../wire/line-splitter.ts";

/** A line of a record may hold pictures. */
const MAX_LINE = 32 * 1024 * 1024;

const row = z.looseObject({
  uuid: z.string(),
  type: z.string(),
  parentUuid: z.string().nullish().catch(null),
  logicalParentUuid: z.string().nullish().catch(null),
  isSidechain: z.boolean().optional().catch(undefined),
  isMeta: z.boolean().optional().catch(undefined),
  isCompactSummary: z.boolean().optional().catch(undefined),
  timestamp: z.string().optional().catch(undefined),
  message: z.looseObject({ content: z.unknown() }).optional().catch(undefined),
});

/** What is kept in memory of a line. */
interface Row {
  uuid: string;
  parent: string | null;
  type: string;
  isPrompt: boolean;
}

/** Absolute path of the file in which Claude Code keeps a conversation, `null` if there is none. */
export async function findRecord(
  { env }: Pick<CliCommand, "env">,
  cwd: string,
  sessionId: string,
): Promise<string | null> {
  if (!/^[0-9a-f-]{36}$/i.test(sessionId)) return null;
  const home = env["HOME"] ?? homedir();
  const config =
    env["CLAUDE_CONFIG_DIR"] ??
    process.env["CLAUDE_CONFIG_DIR"] ??
    join(home, ".claude");
  const projects = join(config, "projects");
  // Its name for a folder; it shortens long names in its own way, so the others are searched as well.
  const own = cwd.replace(/[^a-zA-Z0-9]/g, "-");
  const names = await readdir(projects).catch(() => []);
  for (const name of [own, ...names]) {
    const file = join(projects, name, `${sessionId}.jsonl`);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return null;
}

/** Where a copy with a given number of messages of the user ends. */
export type CopyEnd =
  { kind: "nothing" } | { kind: "all" } | { kind: "at"; uuid: string };

/** Finds the last line of a copy with the first `keepPrompts` messages of the user. */
export async function findCopyEnd(
  file: string,
  keepPrompts: number,
): Promise<CopyEnd> {
  const branch = await readBranch(file);
  const prompts = branch.filter(({ isPrompt }) => isPrompt);
  const next = prompts[keepPrompts];
  if (!next) return { kind: "all" };
  const last = branch
    .slice(0, branch.indexOf(next))
    .findLast(({ type }) => type === "assistant" || type === "user");
  return keepPrompts === 0 || !last
    ? { kind: "nothing" }
    : { kind: "at", uuid: last.uuid };
}

/** The lines of the conversation as it is now, oldest first: a record also holds what was abandoned. */
async function readBranch(file: string): Promise<Row[]> {
  const rows = new Map<string, Row>();
  let leaf: Row | undefined;
  const splitter = new LineSplitter(MAX_LINE);
  const take = (text: string) => {
    const read = toRow(text);
    if (!read) return;
    rows.set(read.uuid, read);
    if (read.type === "user" || read.type === "assistant") leaf = read;
  };
  for await (const chunk of createReadStream(file)) {
    for (const line of splitter.push(chunk as Buffer))
      if (line.kind === "line") take(line.text);
  }
  for (const line of splitter.end()) if (line.kind === "line") take(line.text);
  const branch: Row[] = [];
  for (let at = leaf; at; at = at.parent ? rows.get(at.parent) : undefined) {
    branch.push(at);
    // A record that goes in circles is not gone round.
    rows.delete(at.uuid);
  }
  return branch.reverse();
}

function toRow(text: string): Row | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = row.safeParse(value);
  // The work of helpers stands in the same file.
  if (!read.success || read.data.isSidechain) return undefined;
  const { uuid, type, parentUuid, logicalParentUuid } = read.data;
  return {
    uuid,
    type,
    parent: parentUuid ?? logicalParentUuid ?? null,
    isPrompt:
      type === "user" &&
      !read.data.isMeta &&
      !read.data.isCompactSummary &&
      isPrompt(read.data.message?.content),
  };
}

/** What the user said, by a line of a record. */
export function readClaudeMessage(line: unknown): RecordedMessage | undefined {
  const { data } = row.safeParse(line);
  if (data?.type !== "user" || data.isMeta || data.isSidechain)
    return undefined;
  const said = textOf(data.message?.content);
  if (said === undefined || data.timestamp === undefined) return undefined;
  return { at: data.timestamp, text: said };
}

/** The text of a message, `undefined` for what is the result of a tool. */
function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  const blocks = z
    .array(z.looseObject({ type: z.string() }))
    .safeParse(content);
  if (!blocks.success) return undefined;
  if (blocks.data.some(({ type }) => type === "tool_result")) return undefined;
  const texts = blocks.data.flatMap((block) =>
    block.type === "text" ? [String(block["text"])] : [],
  );
  return texts.join("\n");
}

/** Words of the user, and not what Claude Code writes down in the user's name. */
function isPrompt(content: unknown): boolean {
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  const texts =
    typeof content === "string"
      ? [content]
      : blocks.flatMap((part) => {
          const { type, text } = (part ?? {}) as Record<string, unknown>;
          return type === "text" && typeof text === "string" ? [text] : [];
        });
  const isPicture = blocks.some(
    (part) => (part as { type?: unknown } | null)?.type === "image",
  );
  const said = texts.join("\n").trim();
  if (said === "") return isPicture;
  return !NOT_SAID.test(said);
}

const NOT_SAID =
  /^(\[Request interrupted by user|<local-command-stdout>|<local-command-caveat>|<command-name>\/compact<|<bash-)/;
