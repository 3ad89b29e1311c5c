import type { RunReason } from "../contract.ts";
import {
  clipText,
  defuse,
  escapeInPieces,
  escapeText,
  toPlainText,
} from "./plain-text.ts";

/** A section with text in the markup of chats. */
export interface SectionBlock {
  type: "section";
  text: { type: "mrkdwn"; text: string };
}

/** What chats take at an incoming webhook. `text` says all of it too, for those that know no blocks. */
export interface ChatMessage {
  text: string;
  blocks: SectionBlock[];
}

/** What a message says about a run. */
export interface RunNews {
  name: string;
  result: "done" | "failed";
  reason: RunReason | null;
  costUsd: number | null;
  message: string;
  /** Page of the automation; a sample has none. */
  link: string | undefined;
}

const MAX_MESSAGE_LENGTH = 1500;
/** Of characters that take much room, fewer are kept: chats refuse what is longer. */
const MAX_UNITS = 15_000;
/** Most that a section takes. */
const MAX_SECTION_LENGTH = 3000;

/** Makes the message about a run. */
export function toChatMessage(news: RunNews): ChatMessage {
  const name = escapeText(defuse(toPlainText(news.name)));
  const mark = news.result === "done" ? "✅" : "❌";
  const reason = news.reason?.replaceAll("-", " ");
  const end = [
    news.result === "done" ? "is done" : "failed",
    ...(reason ? [reason] : []),
    costInWords(news.costUsd),
  ].join(" · ");
  // A name that has markup of its own would end that of ours.
  const bold = /[*_~`]/.test(name) ? name : `*${name}*`;
  const message = fit(
    clipText(defuse(toPlainText(news.message)), MAX_MESSAGE_LENGTH),
  );
  const pieces = escapeInPieces(message, MAX_SECTION_LENGTH);
  const { link } = news;
  return {
    text: [
      `${mark} ${name} ${end}`,
      ...(link ? [link] : []),
      ...(pieces.length > 0 ? ["", pieces.join("")] : []),
    ].join("\n"),
    blocks: [
      `${mark} ${bold} ${end}${link ? `\n<${link}|Open the automation>` : ""}`,
      ...pieces.filter((piece) => piece.trim() !== ""),
    ].map((text) => ({ type: "section", text: { type: "mrkdwn", text } })),
  };
}

/** Cuts a message whose characters, or what they are escaped to, take more room than chats give. */
function fit(message: string): string {
  let most = MAX_MESSAGE_LENGTH;
  let text = message;
  while (escapeText(text).length > MAX_UNITS) {
    most = Math.floor(most * 0.8);
    text = clipText(message, most);
  }
  return text;
}

function costInWords(costUsd: number | null): string {
  if (costUsd === null) return "cost unknown";
  const digits = costUsd > 0 && costUsd < 0.01 ? 4 : 2;
  return `$${costUsd.toFixed(digits)}`;
}
