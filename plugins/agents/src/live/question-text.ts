import { toVisibleText } from "@gantry/plugin";
import { repeatsTitle } from "./repeats-title.ts";

const MAX_TITLE_CHARS = 500;
const MAX_BODY_CHARS = 16 * 1024;
const MAX_LABEL_CHARS = 200;

/**
 * The text of a question for display: a title of one line, and a body that does not repeat it. Invisible characters are
 * escaped, since they could make a harmful command look harmless.
 */
export function toQuestionText(asked: {
  kind: "permission" | "question";
  title: string;
  body: string;
}): { title: string; body: string } {
  const whole = toVisible(asked.title).trim();
  const [first = ""] = whole.split("\n", 1);
  const isShort = first.length <= MAX_TITLE_CHARS;
  const rest = isShort ? whole.slice(first.length).trim() : whole;
  const title = isShort ? first : `${first.slice(0, MAX_TITLE_CHARS - 1)}…`;
  const given = toVisible(asked.body);
  const body = repeatsTitle(whole, given) ? "" : given;
  const text = [rest, body].filter((part) => part !== "").join("\n\n");
  return {
    title: title || DEFAULT_TITLES[asked.kind],
    body: toShort(text, overflowOf(asked.title) + overflowOf(asked.body)),
  };
}

/** The label of an option for display: one line, with invisible characters escaped. */
export function toOptionLabel(label: string): string {
  const line = toVisible(label).replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_LABEL_CHARS
    ? line
    : `${line.slice(0, MAX_LABEL_CHARS - 1)}…`;
}

const DEFAULT_TITLES = {
  permission: "The agent asks for permission",
  question: "The agent has a question",
};

/** Cuts before it escapes, since an agent may send megabytes. */
function toVisible(text: string): string {
  return toVisibleText(text.slice(0, MAX_BODY_CHARS).replaceAll("\r\n", "\n"));
}

function overflowOf(text: string): number {
  return Math.max(0, text.length - MAX_BODY_CHARS);
}

/** Cuts text to the maximum, with a note of how much is missing. */
function toShort(text: string, overflow: number): string {
  const more = overflow + overflowOf(text);
  if (more === 0) return text;
  return `${text.slice(0, MAX_BODY_CHARS)}\n[${more} more characters are not shown]`;
}
