import { toVisibleText } from "@gantry/plugin";
import { once } from "./once.ts";
import type { FilePatch, NumberedLine } from "./parsePatch.ts";

/** Of lines that were changed one below the other, so many are compared for spaces. */
const MAX_RUN = 500;
const NO_TEXTS: ReadonlySet<string> = new Set();

const byteOrderMark = "\ufeff";

/** Whole sentences on what changed in a file and cannot be seen in its lines. */
export function patchNotes({ lines, mode }: FilePatch): string[] {
  const before = lines.filter(({ sign }) => sign === "-");
  const after = lines.filter(({ sign }) => sign === "+");
  const notes: string[] = [];
  if (mode)
    notes.push(
      mode.before
        ? `Its mode changed from ${mode.before} to ${mode.after}.`
        : kindOf(mode.after),
    );
  const [left, right] = [endingsOf(before), endingsOf(after)];
  if (left && right && left !== right) {
    const only = areSame(before, after, withoutEnding);
    const what = only
      ? "Only the line endings changed"
      : "Line endings changed";
    notes.push(`${what}: ${left} → ${right}.`);
  } else if (
    before.length > 0 &&
    areSame(before, after, withoutSpace) &&
    !areSame(before, after, withoutMark)
  )
    notes.push("Only spaces, tabs and line endings changed.");
  else if (right && right !== "LF" && before.length === 0)
    notes.push(`Line endings: ${right}.`);
  const marked = (side: readonly NumberedLine[]) =>
    side.some(({ text }) => text.startsWith(byteOrderMark));
  if (marked(after) !== marked(before))
    notes.push(
      marked(after)
        ? "A byte order mark was put at the start."
        : "The byte order mark at the start was removed.",
    );
  const isOpen = (side: readonly NumberedLine[]) =>
    side.some(({ noNewline }) => noNewline);
  if (isOpen(after) !== isOpen(before))
    notes.push(
      isOpen(after)
        ? "It has no newline at its end."
        : "A newline was put at its end.",
    );
  return notes.filter((note) => note !== "");
}

function kindOf(mode: string): string {
  if (mode === "120000") return "It is a link; its text is where it leads.";
  if (mode === "160000") return "It is a repository of its own.";
  return mode === "100755" ? "It is executable." : "";
}

/** Whether two sides have the same lines but for what `change` takes out. */
function areSame(
  before: readonly NumberedLine[],
  after: readonly NumberedLine[],
  change: (text: string) => string,
): boolean {
  return (
    before.length === after.length &&
    before.every(
      ({ text }, index) => change(text) === change(after[index]?.text ?? ""),
    )
  );
}

const withoutEnding = (text: string) => text.replace(/\r$/, "");
const withoutMark = (text: string) => text.replace(/^\ufeff/, "");
const withoutSpace = (text: string) => withoutMark(text).replace(/\s/g, "");

/** How lines end; `undefined` for no lines. */
function endingsOf(lines: readonly NumberedLine[]): string | undefined {
  let [ended, crlf] = [0, 0];
  for (const { noNewline, text } of lines) {
    if (noNewline) continue;
    ended += 1;
    if (text.endsWith("\r")) crlf += 1;
  }
  if (ended === 0) return undefined;
  if (crlf === 0) return "LF";
  return crlf === ended ? "CRLF" : "mixed";
}

/**
 * Tells how a line is shown, by its index: with everything visible that may differ and cannot be seen. How it is depends on
 * the others, of which each is looked at once.
 */
export function createLineTexts(
  lines: readonly NumberedLine[],
): (index: number) => string {
  const isUniform = once(() =>
    lines.every(({ sign, text }) => sign === "@" || text.endsWith("\r")),
  );
  /** Of runs by their first line: the texts of both sides without spaces. */
  const runs = new Map<number, Record<"-" | "+", ReadonlySet<string>>>();
  function othersOf(index: number, sign: "-" | "+"): ReadonlySet<string> {
    let from = index;
    while (isChanged(lines[from - 1]) && index - from < MAX_RUN) from -= 1;
    if (index - from === MAX_RUN) return NO_TEXTS;
    const known = runs.get(from);
    if (known) return known[sign === "-" ? "+" : "-"];
    const sides = { "-": new Set<string>(), "+": new Set<string>() };
    for (let at = from; at < from + MAX_RUN; at += 1) {
      const line = lines[at];
      if (!isChanged(line)) break;
      sides[line.sign].add(withoutSpace(line.text));
    }
    runs.set(from, sides);
    return sides[sign === "-" ? "+" : "-"];
  }
  return (index) => {
    const line = lines[index];
    if (!line) return "";
    const { sign, text, noNewline } = line;
    if (sign === "@") return toVisibleText(text);
    const isSpace =
      sign !== " " && othersOf(index, sign).has(withoutSpace(text));
    const body = withoutEnding(text);
    const shown = toVisibleText(isSpace ? showSpace(body) : body);
    const ending = text.endsWith("\r") && !isUniform() ? "␍" : "";
    return `${shown}${ending}${noNewline ? " ⟨no newline⟩" : ""}`;
  };
}

function isChanged(
  line: NumberedLine | undefined,
): line is NumberedLine & { sign: "-" | "+" } {
  return line?.sign === "-" || line?.sign === "+";
}

/** Tabs and the spaces at both ends. */
function showSpace(text: string): string {
  return text
    .replace(/\t/g, "→\t")
    .replace(/^ +| +$/g, (spaces) => "·".repeat(spaces.length));
}

/** What cannot be seen of a text in an editor. */
export function textNotes(text: string): string[] {
  const all = text.split("\n").length - 1;
  const crlf = text.split("\r\n").length - 1;
  const endings =
    crlf === 0
      ? ""
      : crlf === all
        ? "CRLF line endings"
        : `Mixed line endings: ${crlf} CRLF, ${all - crlf} LF`;
  return [
    endings,
    text.startsWith(byteOrderMark) ? "Byte order mark" : "",
    text !== "" && !text.endsWith("\n") ? "No newline at the end" : "",
  ].filter(Boolean);
}
