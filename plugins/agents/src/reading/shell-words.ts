/** A word of a command line, with quotes removed. */
export interface ShellWord {
  text: string;
  /** Whether the shell would replace it by file names. */
  globs: boolean;
}

/** The words of one command, as the shell parses them. */
export type ShellCommand = ShellWord[];

/** Control characters, which a terminal or a log may interpret. */
const CONTROL = /[^\P{Cc}\t\n]/u;
/** The redirections that are allowed: to or from `/dev/null`, and one output stream to the other. */
const REDIRECTION =
  /(?:[12]?>&[12]|(?:[12]|&)?>[ \t]*\/dev\/null|<[ \t]*\/dev\/null)(?=$|[ \t\n;|&])/y;
/** The braces of a git reflog reference such as `HEAD@{1}`, which the shell does not expand. */
const REFLOG = /\{[\w-]*\}/y;
/** A first word that is a variable assignment, so that a later word is the program. */
const ASSIGNMENT = /^[A-Za-z_]\w*(\[[^]*\])?\+?=/;
/** A literal dollar sign within double quotes. */
const PLAIN_DOLLAR = /\$(?=["/ |)])/y;

/**
 * Parses a command line of a POSIX shell that consists of words with quotes, in pipes and lists. All other syntax
 * (variables, substitutions, redirections to files, groups, braces, background jobs) is refused, so that the result is
 * never parsed differently from how the shell does it.
 *
 * @returns `undefined` if it contains other syntax
 */
export function parseShell(line: string): ShellCommand[] | undefined {
  if (CONTROL.test(line)) return undefined;
  const commands: ShellCommand[] = [];
  let command: ShellCommand = [];
  let word: ShellWord | undefined;
  let at = 0;

  const endWord = () => {
    if (word) command.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (command.length > 0) commands.push(command);
    command = [];
  };
  const add = (text: string, globs = false) => {
    word ??= { text: "", globs: false };
    word.text += text;
    word.globs ||= globs;
  };
  /** Consumes what a pattern matches at the current position. */
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(line) ?? [];
    if (found !== undefined) at += found.length;
    return found;
  };

  while (at < line.length) {
    const letter = line[at]!;
    // A number before the operator belongs to the redirection only if it is a word of its own.
    if (!word || letter === "&" || letter === ">" || letter === "<") {
      const isOwn = word === undefined;
      const redirection = take(REDIRECTION);
      if (redirection !== undefined) {
        // `file2>/dev/null` and `2 >/dev/null` are parsed as the shell does; `7>&1` is refused.
        if (!isOwn && /^\d+$/.test(word!.text)) return undefined;
        endWord();
        continue;
      }
    }
    switch (letter) {
      case " ":
      case "\t":
        endWord();
        break;
      case "\n":
      case ";":
        endCommand();
        break;
      case "|":
        if (line[at + 1] === "&") return undefined;
        if (line[at + 1] === "|") at += 1;
        endCommand();
        break;
      case "&":
        if (line[at + 1] !== "&") return undefined;
        at += 1;
        endCommand();
        break;
      case "#":
        if (word) add(letter);
        else at = toLineEnd(line, at) - 1;
        break;
      case "'": {
        const end = line.indexOf("'", at + 1);
        // Some shells interpret a backslash before the closing quote.
        if (end < 0 || line[end - 1] === "\\") return undefined;
        add(line.slice(at + 1, end));
        at = end;
        break;
      }
      case '"': {
        const quoted = readQuoted(line, at + 1);
        if (!quoted) return undefined;
        add(quoted.text);
        at = quoted.end;
        break;
      }
      case "\\":
        if (at + 1 >= line.length) return undefined;
        if (line[at + 1] !== "\n") add(line[at + 1]!);
        at += 1;
        break;
      case "*":
      case "?":
      case "[":
        add(letter, true);
        break;
      case "{": {
        const braces = word?.text.endsWith("@") ? take(REFLOG) : undefined;
        if (braces === undefined) return undefined;
        add(braces);
        continue;
      }
      case "$":
      case "`":
      case "(":
      case ")":
      case "}":
      case "<":
      case ">":
        return undefined;
      default:
        add(letter);
    }
    at += 1;
  }
  endCommand();
  return commands.some(([first]) => ASSIGNMENT.test(first?.text ?? ""))
    ? undefined
    : commands;
}

/** Reads a double-quoted string that begins after `from`; `end` is the position of the closing quote. */
function readQuoted(
  line: string,
  from: number,
): { text: string; end: number } | undefined {
  let text = "";
  for (let at = from; at < line.length; at += 1) {
    const letter = line[at]!;
    if (letter === '"') return { text, end: at };
    if (letter === "`") return undefined;
    PLAIN_DOLLAR.lastIndex = at;
    if (letter === "$" && !PLAIN_DOLLAR.test(line)) return undefined;
    if (letter === "\\" && /[$`"\\\n]/.test(line[at + 1] ?? "")) {
      at += 1;
      if (line[at] !== "\n") text += line[at];
    } else text += letter;
  }
  return undefined;
}

function toLineEnd(line: string, from: number): number {
  const end = line.indexOf("\n", from);
  return end < 0 ? line.length : end;
}
