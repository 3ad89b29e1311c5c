/** A word of a command line, without its quotes. */
export interface ShellWord {
  text: string;
  /** The shell would put names of files in its place. */
  globs: boolean;
}

/** What is left of a command line when the shell has read it, word by word and command by command. */
export type ShellCommand = ShellWord[];

/** Nothing that a person types; a terminal or a log may take it for something else. */
const CONTROL = /[^\P{Cc}\t\n]/u;
/** To nowhere, or both outputs into one: all that a command which only reads needs. */
const REDIRECTION =
  /(?:[12]?>&[12]|(?:[12]|&)?>[ \t]*\/dev\/null|<[ \t]*\/dev\/null)(?=$|[ \t\n;|&])/y;
/** A place in git's log, which the shell leaves as it is. */
const REFLOG = /\{[\w-]*\}/y;
/** A first word that the shell takes for a variable, so that the program is a later one. */
const ASSIGNMENT = /^[A-Za-z_]\w*(\[[^]*\])?\+?=/;
/** A first word that the shell takes for a part of its grammar, so that the program is a later one. */
const RESERVED_WORD =
  /^(!|\[\[|case|coproc|do|done|elif|else|esac|fi|for|function|if|select|then|time|until|while)$/;
/** A dollar that stands for itself within double quotes. */
const PLAIN_DOLLAR = /\$(?=["/ |)])/y;

/**
 * Reads a command line of a POSIX shell: plain words with quotes, in pipes and lists. Whatever puts something else in
 * its own place, writes a file or runs beside (variables, substitutions, redirections, groups, reserved words, braces, background) is
 * not read at all, so that nothing is judged by another reading than the shell's.
 *
 * @returns `undefined` if there is anything else in it
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
  /** Takes what a pattern finds right here. */
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(line) ?? [];
    if (found !== undefined) at += found.length;
    return found;
  };

  while (at < line.length) {
    const letter = line[at]!;
    // A number before it is only a part of it if it is a word of its own.
    if (!word || letter === "&" || letter === ">" || letter === "<") {
      const isOwn = word === undefined;
      const redirection = take(REDIRECTION);
      if (redirection !== undefined) {
        // `file2>/dev/null` and `2 >/dev/null` are read as the shell does, `7>&1` not at all.
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
        // Some shells take a backslash for more than itself here.
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
        const place = word?.text.endsWith("@") ? take(REFLOG) : undefined;
        if (place === undefined) return undefined;
        add(place);
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
  const isNoProgram = ([first]: ShellCommand) =>
    first && (ASSIGNMENT.test(first.text) || RESERVED_WORD.test(first.text));
  return commands.some(isNoProgram) ? undefined : commands;
}

/** What stands within double quotes from a place on, and where they end. */
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
