import { isSaidAlready } from "../tools/is-said-already.ts";

const MAX_TITLE = 500;
const MAX_BODY = 16 * 1024;

/**
 * What a CLI asks, so that a person sees what is asked and nothing else: a title of one line; a body that does not
 * repeat it; and every sign that would hide or reorder others made visible, since a command that looks harmless is how
 * one is talked into a yes.
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
  return {
    title: title || WITHOUT_WORDS[asked.kind],
    body: toShort([rest, body].filter((part) => part !== "").join("\n\n")),
  };
}

const WITHOUT_WORDS = {
  permission: "The agent asks for permission",
  question: "The agent has a question",
};

/** Nobody must take the beginning for the whole. */
function toShort(text: string): string {
  if (text.length <= MAX_BODY) return text;
  const more = text.length - MAX_BODY;
  return `${text.slice(0, MAX_BODY)}\n[${more} more characters are not shown]`;
}

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f]/g;
/** Signs without a width, and those that turn the direction of what stands after them. */
const UNSEEN =
  /[\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function toVisible(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(CONTROLS, (sign) =>
      String.fromCharCode(0x2400 + sign.charCodeAt(0)),
    )
    .replace(
      UNSEEN,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}
