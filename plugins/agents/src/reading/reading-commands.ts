import { planReadingGit } from "@gantry/git-kit";
import { parseShell, type ShellCommand } from "./shell-words.ts";

/** Programs that only read, whatever they are given. */
const READERS = new Set(
  "basename cat cd cmp comm cut df diff dirname du echo egrep false fgrep grep head id ls md5sum nl nproc pwd readlink realpath sha1sum sha256sum stat tac tail tr true uname wc which whoami".split(
    " ",
  ),
);

/**
 * Programs that may print their version. Not those of a language: the one on `PATH` is often the shim of a version
 * manager, which takes the program to run from a file of the folder (rustup, asdf, mise, pyenv) or installs one (Volta,
 * Go, Corepack).
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
 * Programs that only read if they are called in certain ways. No package manager is among them: each runs code of the
 * folder (hooks and plugins of its own files, another version of itself), or writes (lock files, logs, caches) where a
 * file of the folder says.
 */
const CHECKS: Readonly<Record<string, Check>> = {
  git: (args) => planReadingGit(args) !== undefined,
  // These two start a program: for each file, or for the name of the machine.
  rg: (args) =>
    !args.some((argument) => /^--(pre|hostname-bin)(=|$)/.test(argument)),
  find: (args) =>
    args.every((argument) => !argument.startsWith("-") || FIND.test(argument)),
  // A second name would be the file to write.
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

/** What `find` looks at, and how it shows it; never what it does to it. */
const FIND =
  /^-(a|and|o|or|not|[acm](min|time)|[ac]?newer|newer[aBcm][aBcmt]|daystart|depth|empty|executable|false|follow|group|i?(name|path|regex)|i?wholename|links|ls|(min|max)depth|mount|perm|print|print0|printf|prune|quit|readable|regextype|size|true|type|user|writable|xdev|xtype|[HLP]|\d+\w?)$/;
const DATE =
  /^(\+.*|-[uR]|-I\w*|--(utc|iso-8601(=\w+)?|rfc-3339=\w+|date=.*))$/s;
const SORT =
  /^(-[bdfghiMnRrVuzcs]*(k[\d.,bdfgiMhnRrV]*|t[^o]?)?|--(reverse|numeric-sort|general-numeric-sort|human-numeric-sort|version-sort|unique|stable|ignore-case|key=[\d.,a-zA-Z]+|field-separator=.))$/;

/** Programs for which the shell may put names of files in the place of a pattern. */
const TAKES_PATTERNS = new Set(
  "cat cmp diff du egrep fgrep file grep head ls md5sum nl rg sha1sum sha256sum stat tac tail wc".split(
    " ",
  ),
);

const PATTERNS_OF_GIT = /^(blame|diff|grep|log|ls-files|show)$/;

/**
 * Whether a command line of a shell only reads: each command of it is known, and so are its options as far as they could
 * write or run something. What is not understood does not only read.
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
  // A file with a name like an option would become one, if nothing that cannot begin an option stood before the pattern.
  const isTame = words.every(
    ({ text, globs }) =>
      !globs ||
      (/^[^-*?[]/.test(text) &&
        (TAKES_PATTERNS.has(name) ||
          (name === "git" && PATTERNS_OF_GIT.test(words[0]!.text)))),
  );
  if (!isTame) return false;
  const args = words.map(({ text }) => text);
  if (VERSIONED.has(name) && args.length === 1 && args[0] === "--version")
    return true;
  return (
    READERS.has(name) || (Object.hasOwn(CHECKS, name) && CHECKS[name]!(args))
  );
}
