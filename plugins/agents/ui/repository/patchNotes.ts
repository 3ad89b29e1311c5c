import { toVisibleText } from "@gantry/plugin";
import type { FilePatch, NumberedLine } from "./parsePatch.ts";

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
    const only =
      textsOf(before, withoutEnding) === textsOf(after, withoutEnding);
    const what = only
      ? "Only the line endings changed"
      : "Line endings changed";
    notes.push(`${what}: ${left} → ${right}.`);
  } else if (
    before.length > 0 &&
    textsOf(before, withoutSpace) === textsOf(after, withoutSpace) &&
    textsOf(before, withoutMark) !== textsOf(after, withoutMark)
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

function textsOf(
  lines: readonly NumberedLine[],
  change: (text: string) => string,
): string {
  return lines.map(({ text }) => change(text)).join("\n");
}

const withoutEnding = (text: string) => text.replace(/\r$/, "");
const withoutMark = (text: string) => text.replace(/^\ufeff/, "");
const withoutSpace = (text: string) => withoutMark(text).replace(/\s/g, "");

/** How lines end; `undefined` for no lines. */
function endingsOf(lines: readonly NumberedLine[]): string | undefined {
  const ended = lines.filter(({ noNewline }) => !noNewline);
  const crlf = ended.filter(({ text }) => text.endsWith("\r")).length;
  if (ended.length === 0) return undefined;
  if (crlf === 0) return "LF";
  return crlf === ended.length ? "CRLF" : "mixed";
}

/** Lines as they are shown: with everything visible that may differ and cannot be seen. */
export function showLines(lines: readonly NumberedLine[]): string[] {
  const real = lines.filter(({ sign }) => sign !== "@");
  const isUniform = real.every(({ text }) => text.endsWith("\r"));
  const removed = new Set<string>();
  const added = new Set<string>();
  for (const { sign, text } of real)
    (sign === "-" ? removed : sign === "+" ? added : new Set<string>()).add(
      withoutSpace(text),
    );
  return lines.map(({ sign, text, noNewline }) => {
    if (sign === "@") return toVisibleText(text);
    const other = sign === "-" ? added : removed;
    const isSpace = sign !== " " && other.has(withoutSpace(text));
    const body = withoutEnding(text);
    const shown = toVisibleText(isSpace ? showSpace(body) : body);
    const ending = text.endsWith("\r") && !isUniform ? "␍" : "";
    return `${shown}${ending}${noNewline ? " ⟨no newline⟩" : ""}`;
  });
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
