import { toVisibleText } from "@gantry/plugin";
import type { FilePatch, NumberedLine } from "./parsePatch.ts";

/** The most lines of one run of changes that are compared without their spaces. */
const MAX_RUN = 500;
const NO_TEXTS: ReadonlySet<string> = new Set();

const byteOrderMark = "\ufeff";

/** Whole sentences on what changed in a file and cannot be seen in its lines. */
export function patchNotes({ lines, mode }: FilePatch): string[] {
  const [before, after] = [readSide(lines, "-"), readSide(lines, "+")];
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
    before.texts.length > 0 &&
    areSame(before, after, withoutSpace) &&
    !areSame(before, after, withoutMark)
  )
    notes.push("Only spaces, tabs and line endings changed.");
  else if (right && right !== "LF" && before.texts.length === 0)
    notes.push(`Line endings: ${right}.`);
  if (after.isMarked !== before.isMarked)
    notes.push(
      after.isMarked
        ? "A byte order mark was put at the start."
        : "The byte order mark at the start was removed.",
    );
  if (after.isOpen !== before.isOpen)
    notes.push(
      after.isOpen
        ? "It has no newline at its end."
        : "A newline was put at its end.",
    );
  return notes.filter((note) => note !== "");
}

/** What the lines of one side of a difference have, or do not have, all together. */
interface Side {
  texts: string[];
  /** Lines with a newline, and how many of them with a carriage return before it. */
  ended: number;
  crlf: number;
  isMarked: boolean;
  /** The last line has no newline. */
  isOpen: boolean;
}

/** Reads them in one pass: thousands of files are read before the first is shown. */
function readSide(lines: readonly NumberedLine[], wanted: "-" | "+"): Side {
  const side: Side = {
    ...{ texts: [], ended: 0, crlf: 0 },
    ...{ isMarked: false, isOpen: false },
  };
  for (const { sign, text, noNewline } of lines) {
    if (sign !== wanted) continue;
    side.texts.push(text);
    if (noNewline) side.isOpen = true;
    else side.ended += 1;
    if (!noNewline && text.endsWith("\r")) side.crlf += 1;
    if (text.startsWith(byteOrderMark)) side.isMarked = true;
  }
  return side;
}

function kindOf(mode: string): string {
  if (mode === "120000") return "It is a link; its text is where it leads.";
  if (mode === "160000") return "It is a repository of its own.";
  return mode === "100755" ? "It is executable." : "";
}

/** Whether two sides have the same lines but for what `change` takes out. */
function areSame(
  before: Side,
  after: Side,
  change: (text: string) => string,
): boolean {
  return (
    before.texts.length === after.texts.length &&
    before.texts.every(
      (text, index) => change(text) === change(after.texts[index] ?? ""),
    )
  );
}

const withoutEnding = (text: string) => text.replace(/\r$/, "");
const withoutMark = (text: string) => text.replace(/^\ufeff/, "");
const withoutSpace = (text: string) => withoutMark(text).replace(/\s/g, "");

/** How the lines of a side end; `undefined` for no lines. */
function endingsOf({ ended, crlf }: Side): string | undefined {
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
  let isUniform: boolean | undefined;
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
    isUniform ??= lines.every(
      (one) => one.sign === "@" || one.text.endsWith("\r"),
    );
    const { sign, text, noNewline } = line;
    if (sign === "@") return toVisibleText(text);
    const isSpace =
      sign !== " " && othersOf(index, sign).has(withoutSpace(text));
    const body = withoutEnding(text);
    const shown = toVisibleText(isSpace ? showSpace(body) : body);
    const ending = text.endsWith("\r") && !isUniform ? "␍" : "";
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
