import { toVisibleText } from "@gantry/plugin";
import { isSaidAlready } from "../tools/is-said-already.ts";

const MAX_TITLE = 500;
const MAX_BODY = 16 * 1024;
const MAX_LABEL = 200;

/**
 * The text of a question as a person sees it: a title of one line, and a body that does not repeat it. Characters that
 * cannot be seen are written out, since they could make a harmful command look harmless.
 */
export function toQuestionText(asked: {
  kind: "permission" | "question";
  title: string;
  body: string;
}): { title: string; body: string } {
  const whole = toVisible(asked.title).trim();
  const [first = ""] = whole.split("\n", 1);
  const isShort = first.length <= MAX_TITLE;
  const rest = isShort ? whole.slice(first.length).trim() : whole;
  const title = isShort ? first : `${first.slice(0, MAX_TITLE - 1)}…`;
  const given = toVisible(asked.body);
  const body = isSaidAlready(whole, given) ? "" : given;
  const text = [rest, body].filter((part) => part !== "").join("\n\n");
  return {
    title: title || WITHOUT_WORDS[asked.kind],
    body: toShort(text, overflowOf(asked.title) + overflowOf(asked.body)),
  };
}

/** The label of an option as a person sees it: one line, nothing hidden in it. */
export function toOptionLabel(label: string): string {
  const line = toVisible(label).replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_LABEL ? line : `${line.slice(0, MAX_LABEL - 1)}…`;
}

const WITHOUT_WORDS = {
  permission: "The agent asks for permission",
  question: "The agent has a question",
};

/** Cuts first: an agent may send megabytes, of which only the beginning is shown. */
function toVisible(text: string): string {
  return toVisibleText(text.slice(0, MAX_BODY).replaceAll("\r\n", "\n"));
}

function overflowOf(text: string): number {
  return Math.max(0, text.length - MAX_BODY);
}

/** Says how much is missing, so that the beginning is not taken for the whole. */
function toShort(text: string, overflow: number): string {
  const more = overflow + overflowOf(text);
  if (more === 0) return text;
  return `${text.slice(0, MAX_BODY)}\n[${more} more characters are not shown]`;
}
