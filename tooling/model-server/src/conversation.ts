import { toRecords, toText, type Json } from "./json.ts";

/** One thing said or done in a conversation, whatever the wire. */
export type Turn =
  | { kind: "user"; text: string }
  | { kind: "assistant"; text: string }
  | { kind: "call"; tool: string }
  | { kind: "result"; text: string };

/** A tool that the client offers to the model. */
export interface OfferedTool {
  name: string;
  /** JSON Schema of its arguments. */
  schema: Json;
}

/** What a client asks the model to continue, in one shape for all wires. */
export interface Conversation {
  model: string;
  stream: boolean;
  system: string;
  tools: OfferedTool[];
  turns: Turn[];
}

/** The last thing that the user said, and how many tools were called since. */
export interface Prompt {
  text: string;
  callsSince: number;
}

/** Finds the prompt that the model is to answer. */
export function lastPrompt({ turns }: Conversation): Prompt {
  const index = turns.findLastIndex(({ kind }) => kind === "user");
  const turn = turns[index];
  return {
    text: turn?.kind === "user" ? turn.text : "",
    callsSince: turns.slice(index + 1).filter(({ kind }) => kind === "call")
      .length,
  };
}

/** What the last tool that answered said. */
export function lastResult({ turns }: Conversation): string | undefined {
  return turns.findLast((turn) => turn.kind === "result")?.text;
}

const SIDE_WORDS =
  /title|topic|summar|compact|<conversation>|<session>|classif|complexity|next speaker|suggest|one[- ]word|prefix/i;

/**
 * Tells whether a request is one of a CLI's own: it makes a title or a summary of what the user said. Such a request
 * repeats the prompt, whose script must not run again. It offers no tools, and says what it wants.
 */
export function isSideRequest(conversation: Conversation): boolean {
  if (conversation.tools.length > 0) return false;
  const { system } = conversation;
  return SIDE_WORDS.test(
    `${system.slice(0, 6000)}\n${lastPrompt(conversation).text.slice(0, 600)}`,
  );
}

/** What CLIs put round or beside the words of the user. */
const INSERTED = [
  "system-reminder",
  "environment_context",
  "user_instructions",
  "session_context",
  "command-name",
  "command-message",
  "command-args",
  "local-command-stdout",
  "local-command-caveat",
  "bash-input",
  "bash-stdout",
  "bash-stderr",
].map((tag) => new RegExp(`<${tag}\\b[^>]*>[\\s\\S]*?</${tag}>`, "g"));

/** The words of the user without what a CLI inserted. */
export function userWords(text: string): string {
  return INSERTED.reduce((rest, tag) => rest.replace(tag, ""), text).trim();
}

/** The text of a content that is a string or a list of blocks. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return toRecords(content)
    .filter(({ type }) => type === "text")
    .map(({ text }) => toText(text))
    .join("\n");
}
