import { isReservedName, MAX_NAME_LENGTH, MAX_NAMES } from "./grammar.ts";

/** Text that stands for itself. `{{{{` of the body is `{{` here, so `text` can be shorter than its place. */
export interface TextPart {
  kind: "text";
  text: string;
  from: number;
  to: number;
}

/** One use of a placeholder. */
export interface PlaceholderPart {
  kind: "placeholder";
  name: string;
  /** `null` if this use has none. */
  default: string | null;
  /** Whether it is written `{{name=}}`. */
  optional: boolean;
  reserved: boolean;
  from: number;
  to: number;
}

/** A piece of a body. The pieces cover the body whole, in order. */
export type BodyPart = TextPart | PlaceholderPart;

/** Something that is no placeholder and looks as if it were meant as one. */
export interface BodyProblem {
  from: number;
  to: number;
  /** Line and column of `from`, from 1; a column counts UTF-16 code units, as editors do. */
  line: number;
  column: number;
  /** One sentence for people. */
  message: string;
  /** What should have stood there, in a few words. */
  expected: string;
}

/** A problem without its place in lines. */
type Finding = Omit<BodyProblem, "line" | "column">;

/** No more problems than this are reported; a body that has more is broken anyway. */
export const MAX_PROBLEMS = 100;

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/**
 * Reads a body in one pass, which takes time in proportion to its length whatever it contains: the place where reading continues
 * after a placeholder, whole or broken, is never before a character that was read already.
 *
 * What is broken stays in `parts` as the text that it is, so that an editor can show it.
 */
export function scanBody(body: string): {
  parts: BodyPart[];
  problems: BodyProblem[];
} {
  const parts: BodyPart[] = [];
  const names = new Set<string>();
  const report = createReport(body);
  let text = "";
  let textFrom = 0;
  /** Where what has not been taken into `text` yet begins. */
  let pending = 0;
  let at = body.indexOf("{{");

  function endText(to: number): void {
    text += body.slice(pending, to);
    if (to > textFrom) parts.push({ kind: "text", text, from: textFrom, to });
    text = "";
  }

  while (at !== -1) {
    let run = 2;
    while (body.charCodeAt(at + run) === OPEN_BRACE) run += 1;
    // Each four braces are two that mean nothing; of three that are left over, the first is text.
    const literals = Math.floor(run / 4);
    text += body.slice(pending, at) + "{{".repeat(literals);
    pending = at + literals * 4;
    const left = run % 4;
    at += run;
    if (left >= 2) {
      const from = at - 2;
      const to = findEnd(body, at);
      const found = readPlaceholder(body, from, to, names);
      if ("expected" in found) {
        report.add(found);
        at = to;
      } else {
        endText(from);
        parts.push(found);
        names.add(found.name);
        at = pending = textFrom = found.to;
      }
    }
    at = body.indexOf("{{", at);
  }
  endText(body.length);
  return { parts, problems: report.problems };
}

/** Where the inside of a placeholder ends: before `}}`, `{{`, the end of the line or of the body. */
function findEnd(body: string, from: number): number {
  for (let at = from; at < body.length; at += 1) {
    const code = body.charCodeAt(at);
    if (code === 10 || code === 13) return at;
    const isBrace = code === OPEN_BRACE || code === CLOSE_BRACE;
    if (isBrace && body.charCodeAt(at + 1) === code) return at;
  }
  return body.length;
}

function readPlaceholder(
  body: string,
  from: number,
  to: number,
  names: ReadonlySet<string>,
): PlaceholderPart | Finding {
  const start = from + 2;
  let end = start;
  while (end < to && isNameCharacter(body.charCodeAt(end), end === start))
    end += 1;
  const name = body.slice(start, Math.min(end, start + MAX_NAME_LENGTH));
  const isClosed = body.charCodeAt(to) === CLOSE_BRACE;
  const hasDefault = body[end] === "=" && end < to;

  if (end === start) return noName(body, from, to, isClosed);
  if (end - start > MAX_NAME_LENGTH)
    return {
      from: start,
      to: end,
      message: `The name "${name}…" has ${end - start} characters; a name has ${MAX_NAME_LENGTH} at most.`,
      expected: `a name of at most ${MAX_NAME_LENGTH} characters`,
    };
  if (end < to && !hasDefault)
    return {
      from: end,
      to: end + characterAt(body, end).length,
      message: `${nameCharacter(body, end)} cannot be part of a placeholder's name; close {{${name} with }}, without spaces.`,
      expected: "}} or =",
    };
  if (!isClosed) return notClosed(body, from, to, name);
  const reserved = isReservedName(name);
  if (reserved && hasDefault)
    return {
      from: end,
      to,
      message: `{{${name}}} is filled from the target, so it cannot have a default and cannot be optional.`,
      expected: "}}",
    };
  if (!names.has(name) && names.size >= MAX_NAMES)
    return {
      from,
      to: to + 2,
      message: `{{${name}}} is one name too many; a body has ${MAX_NAMES} different ones at most.`,
      expected: `at most ${MAX_NAMES} different names`,
    };
  const value = hasDefault ? body.slice(end + 1, to) : "";
  return {
    kind: "placeholder",
    name,
    default: value === "" ? null : value,
    optional: hasDefault && value === "",
    reserved,
    from,
    to: to + 2,
  };
}

function noName(
  body: string,
  from: number,
  to: number,
  isClosed: boolean,
): Finding {
  const at = from + 2;
  const expected = "a name of letters, digits and _ that begins with no digit";
  if (at < to)
    return {
      from: at,
      to: at + characterAt(body, at).length,
      message: `${nameCharacter(body, at)} cannot begin the name of a placeholder; write {{{{ for a plain {{.`,
      expected,
    };
  return {
    from,
    to: isClosed ? to + 2 : to,
    message: isClosed
      ? "This placeholder has no name."
      : "This {{ begins no placeholder; write {{{{ for a plain {{.",
    expected,
  };
}

function notClosed(
  body: string,
  from: number,
  to: number,
  name: string,
): Finding {
  const isNested = body.charCodeAt(to) === OPEN_BRACE;
  return {
    from,
    to,
    message: isNested
      ? `{{${name} is not closed before another {{ begins; a placeholder cannot stand in another.`
      : `{{${name} is not closed; write }} on the same line, or {{{{ for a plain {{.`,
    expected: "}}",
  };
}

function isNameCharacter(code: number, isFirst: boolean): boolean {
  const isLetter =
    (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
  return isLetter || (!isFirst && code >= 48 && code <= 57);
}

/** The character that begins here, whole if it takes two code units. */
function characterAt(body: string, at: number): string {
  return String.fromCodePoint(body.codePointAt(at) ?? 0);
}

function nameCharacter(body: string, at: number): string {
  const character = characterAt(body, at);
  if (character === " ") return "A space";
  // What cannot be seen, or turns the direction of what follows, is named by its number.
  if (/[\p{C}\p{Z}\p{M}]/u.test(character))
    return `The character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return `"${character}"`;
}

/** Collects problems and finds their lines. Problems come in the order of the body, so lines are counted once. */
function createReport(body: string): {
  problems: BodyProblem[];
  add(finding: Finding): void;
} {
  const problems: BodyProblem[] = [];
  let line = 1;
  let lineStart = 0;
  let nextBreak = body.indexOf("\n");
  return {
    problems,
    add(finding) {
      if (problems.length === MAX_PROBLEMS) return;
      while (nextBreak !== -1 && nextBreak < finding.from) {
        line += 1;
        lineStart = nextBreak + 1;
        nextBreak = body.indexOf("\n", lineStart);
      }
      problems.push({ ...finding, line, column: finding.from - lineStart + 1 });
    },
  };
}
