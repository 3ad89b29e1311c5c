import { planReadingGit } from "@gantry/plugin-helpers/reading-git";
import { parseShell, type ShellCommand } from "./shell-words.ts";

/** Programs that only read, with any arguments. */
const READERS = new Set(
  "basename cat cd cmp comm cut df diff dirname du echo egrep false fgrep grep head id ls md5sum nl nproc pwd readlink realpath sha1sum sha256sum stat tac tail tr true uname wc which whoami".split(
    " ",
  ),
);

/**
 * Programs that may be run with `--version`. Compilers and interpreters of languages are not among them: the program on
 * `PATH` is often the shim of a version manager, which runs a program that a file of the folder names (rustup, asdf, mise,
 * pyenv) or installs one (Volta, Go, Corepack).
 */
const VERSIONED = new Set(["docker", "gcc", "make"]);

type Check = (args: readonly string[]) => boolean;

const each =
  (pattern: RegExp): Check =>
  (args) =>
    args.every((argument) => pattern.test(argument));

const SED_LINES =
  /^(\d+|\$)(,\+?(\d+|\$))?[pq=](;(\d+|\$)(,\+?(\d+|\$))?[pq=])*$/;

/**
 * Programs that only read with certain arguments. No package manager is among them: each of them runs code of the folder
 * (hooks, plugins, another version of itself), or writes lock files, logs or caches to a place that a file of the folder
 * sets.
 */
const CHECKS: Readonly<Record<string, Check>> = {
  git: (args) => planReadingGit(args) !== undefined,
  // These two options run a program: for each file, or to get the host name.
  rg: (args) =>
    !args.some((argument) => /^--(pre|hostname-bin)(=|$)/.test(argument)),
  find: (args) =>
    args.every((argument) => !argument.startsWith("-") || FIND.test(argument)),
  // File names are refused, since a second one is the output file.
  uniq: each(/^(-[cdDiuz]+|-[fsw]\d+|--(count|repeated|unique|ignore-case))$/),
  sort: (args) =>
    args.every((argument) => !argument.startsWith("-") || SORT.test(argument)),
  sed: ([quiet, script, ...files]) =>
    quiet === "-n" &&
    script !== undefined &&
    SED_LINES.test(script) &&
    each(/^[^-]/)(files),
  date: (args) =>
    args.every(
      (argument, index) =>
        DATE.test(argument) ||
        (argument === "-d"
          ? /^[^-]/.test(args[index + 1] ?? "")
          : args[index - 1] === "-d"),
    ),
  tree: each(
    /^(-[adfpshDCL]+|-[IP]|--(dirsfirst|gitignore|noreport)|[^-].*)$/s,
  ),
  file: each(/^(-[biL]+|--(brief|mime|mime-type)|[^-].*)$/s),
  command: (args) => args.length === 2 && args[0] === "-v",
};

/** Tests and output options of `find`, without its actions that run programs, write or delete. */
const FIND =
  /^-(a|and|o|or|not|[acm](min|time)|[ac]?newer|newer[aBcm][aBcmt]|daystart|depth|empty|executable|false|follow|group|i?(name|path|regex)|i?wholename|links|ls|(min|max)depth|mount|perm|print|print0|printf|prune|quit|readable|regextype|size|true|type|user|writable|xdev|xtype|[HLP]|\d+\w?)$/;
const DATE =
  /^(\+.*|-[uR]|-I\w*|--(utc|iso-8601(=\w+)?|rfc-3339=\w+|date=.*))$/s;
const SORT =
  /^(-[bdfghiMnRrVuzcs]*(k[\d.,bdfgiMhnRrV]*|t[^o]?)?|--(reverse|numeric-sort|general-numeric-sort|human-numeric-sort|version-sort|unique|stable|ignore-case|key=[\d.,a-zA-Z]+|field-separator=.))$/;

/** Programs whose arguments may contain glob patterns, which the shell replaces by file names. */
const TAKES_PATTERNS = new Set(
  "cat cmp diff du egrep fgrep file grep head ls md5sum nl rg sha1sum sha256sum stat tac tail wc".split(
    " ",
  ),
);

const GIT_TAKES_PATTERNS = /^(blame|diff|grep|log|ls-files|show)$/;

/**
 * Whether a shell command line only reads: all of its commands are known, and none has an option that writes or runs
 * something. A command line that cannot be parsed does not.
 */
export function commandOnlyReads(line: string): boolean {
  const commands = parseShell(line);
  return (
    commands !== undefined && commands.length > 0 && commands.every(isReading)
  );
}

function isReading([program, ...words]: ShellCommand): boolean {
  if (!program || program.globs) return false;
  const name = program.text;
  // A pattern must begin with a character that cannot begin an option, since it may match a file whose name is an option.
  const hasSafePatterns = words.every(
    ({ text, globs }) =>
      !globs ||
      (/^[^-*?[]/.test(text) &&
        (TAKES_PATTERNS.has(name) ||
          (name === "git" && GIT_TAKES_PATTERNS.test(words[0]!.text)))),
  );
  if (!hasSafePatterns) return false;
  const args = words.map(({ text }) => text);
  if (VERSIONED.has(name) && args.length === 1 && args[0] === "--version")
    return true;
  return (
    READERS.has(name) || (Object.hasOwn(CHECKS, name) && CHECKS[name]!(args))
  );
}
