import { callInWorld } from "./isolated-world.ts";
import type { TabSession } from "./tab-session.ts";

const MAX_COPY_CHARS = 1_000_000;
const MAX_FOUND = 9_999;

const FIND = `function (text, backwards, max) {
  const all = (document.body?.innerText ?? "").toLowerCase();
  const sought = text.toLowerCase();
  let count = 0;
  for (let at = all.indexOf(sought); at !== -1 && count < max; at = all.indexOf(sought, at + sought.length)) count++;
  if (count > 0) window.find(text, false, backwards, true);
  return count;
}`;

const SELECTION = `function (max) {
  const field = document.activeElement;
  const inField = field && (field.localName === "textarea" || field.localName === "input") && field.type !== "password" && field.selectionStart != null;
  const text = inField ? field.value.slice(field.selectionStart, field.selectionEnd) : String(getSelection() ?? "");
  return text.slice(0, max);
}`;

/** Selects the next match of a text in the page and returns the number of matches. */
export async function findText(
  session: TabSession,
  text: string,
  isBackwards: boolean,
): Promise<number> {
  if (text === "") return 0;
  return (
    Number(await callInWorld(session, FIND, text, isBackwards, MAX_FOUND)) || 0
  );
}

/** The selected text of the page, or of the focused field. */
export async function readSelection(session: TabSession): Promise<string> {
  return (await callInWorld<string>(session, SELECTION, MAX_COPY_CHARS)) ?? "";
}
