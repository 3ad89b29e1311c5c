import type { AgentRecord } from "../records/agent-record.ts";
import type { Entry } from "../transcript/entry.ts";

/** Yields a conversation as Markdown parts. Output of tools is in code fences that the output cannot close. */
export async function* toMarkdownParts(
  { name, cli }: Pick<AgentRecord, "name" | "cli">,
  entries: AsyncIterable<Entry>,
): AsyncGenerator<string> {
  yield `# ${toLine(name)}\n\nA conversation with ${cli}.`;
  for await (const entry of entries) {
    const part = toPart(entry);
    if (part !== undefined) yield part;
  }
}

/** Joins Markdown parts to one document. */
export async function* joinParts(
  parts: AsyncIterable<string>,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const part of parts) {
    yield isFirst ? part : `\n\n${part}`;
    isFirst = false;
  }
  yield "\n";
}

function toPart(entry: Entry): string | undefined {
  const { role, kind, text, tool } = entry;
  switch (kind) {
    case "text":
      return `## ${role === "user" ? "User" : "Agent"}\n\n${text}`;
    case "thinking":
      return quote(text);
    case "tool":
      return `**${toLine(tool?.title || tool?.name || "Tool")}**${tool?.failed ? " (failed)" : ""}\n\n${fence(text)}`;
    case "error":
    case "notice":
    case "dialog":
      return `_${toLine(text)}_`;
    case "usage":
      return undefined;
  }
}

function quote(text: string): string {
  return text.replaceAll(/^/gm, "> ");
}

/** Wraps text in a code fence that is longer than any in the text. */
function fence(text: string): string {
  const longest = Math.max(
    2,
    ...[...text.matchAll(/`+/g)].map(([run]) => run.length),
  );
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}

function toLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
