/** A call of git that only reads. */
export interface ReadingGitCall {
  /** The values of `-C`, each relative to the one before. */
  readonly folders: readonly string[];
  /** The command, the options that are forced on it, and the caller's arguments. */
  readonly args: readonly string[];
}

/** When a command only reads. */
interface CommandRule {
  /** Options that are put before those of the caller. */
  readonly always?: readonly string[];
  /** Options that are refused, besides {@link NEVER}. */
  readonly never?: readonly string[];
  /** Whether it only reads with these arguments; defaults to yes. */
  readonly reads?: (args: readonly string[]) => boolean;
}

/**
 * No external diff, no text conversion, and no git in submodules, where it would read their own configuration. As options,
 * because `.gitmodules` overrides the setting `diff.ignoreSubmodules`.
 */
const DIFF = [
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=dirty",
  "--submodule=short",
];
const LOG: CommandRule = { always: [...DIFF, "--no-show-signature"] };
const PLAIN: CommandRule = {};

/** Options that write a file, start a program, start git in another repository, or override a forced option. */
const NEVER = [
  "--ext-diff",
  "--ignore-submodules",
  "--open-files-in-pager",
  "--output",
  "--recurse-submodules",
  "--remerge-diff",
  "--show-signature",
  "--submodule",
  "--textconv",
];
/** Options that match one of them, or an abbreviation of one, and are safe. */
const HARMLESS = /^--(text|ignore-submodules(=all|=dirty)?|submodule=short)$/;
/** All values but `remerge`, which would run merge drivers and write objects. */
const MERGE_FORMATS =
  /^--diff-merges=(off|none|on|m|first-parent|1|separate|c|combined|cc|dense-combined)$/;

/**
 * The commands that only read, for the daemon's calls and for those of agents. The options alone do not make a call safe
 * in a repository whose configuration names programs; see `Git`.
 */
const COMMANDS: Readonly<Record<string, CommandRule>> = {
  blame: { always: ["--no-textconv"] },
  branch: { reads: listsBranches },
  "cat-file": { never: ["--filters"] },
  "check-attr": PLAIN,
  "check-ignore": PLAIN,
  cherry: PLAIN,
  // With `-v`, git would report the folder of a repository that is read through a view as garbage.
  "count-objects": {
    reads: (args) => args.every((argument) => argument === "-H"),
  },
  // Would write the index, or start git in submodules.
  describe: { never: ["--dirty", "--broken"] },
  diff: { always: DIFF },
  "diff-files": { always: DIFF },
  "diff-index": { always: DIFF },
  "diff-tree": { always: DIFF },
  "for-each-ref": PLAIN,
  grep: {
    always: ["--no-textconv"],
    reads: (args) => !args.some((argument) => /^-[^-]*O/.test(argument)),
  },
  log: LOG,
  "ls-files": PLAIN,
  "ls-tree": PLAIN,
  "merge-base": PLAIN,
  "name-rev": PLAIN,
  "range-diff": PLAIN,
  reflog: {
    reads: (args) =>
      !args.some((argument) => /^(delete|drop|expire|write)$/.test(argument)),
  },
  remote: {
    reads: (args) =>
      args[0] === "get-url" ||
      args.every((argument) => /^(-v|--verbose)$/.test(argument)),
  },
  "rev-list": PLAIN,
  // Would start git in the repository around this one.
  "rev-parse": { never: ["--show-superproject-working-tree"] },
  shortlog: PLAIN,
  show: LOG,
  "show-branch": PLAIN,
  "show-ref": PLAIN,
  stash: { reads: ([first]) => first === "list" || first === "show" },
  status: { always: ["--ignore-submodules=dirty"] },
  "symbolic-ref": { reads: readsSymbolicRef },
  tag: { reads: listsTags },
  version: PLAIN,
  whatchanged: LOG,
  worktree: { reads: ([first]) => first === "list" },
};

/**
 * Plans a call of git that only reads. Returns `undefined` if the call may do more, or is not known.
 *
 * The plan is safe only if git does not read the repository's own configuration, as in the environment that
 * `createReadingEnvironment` gives.
 *
 * @param args The arguments after `git`, as the shell passes them.
 */
export function planReadingGit(
  args: readonly string[],
): ReadingGitCall | undefined {
  const folders: string[] = [];
  let at = 0;
  for (; at < args.length; at += 1) {
    const option = args[at]!;
    if (option === "-C" && at + 1 < args.length) folders.push(args[++at]!);
    else if (option !== "--no-pager" && option !== "--no-optional-locks") break;
  }
  const [command = "", ...given] = args.slice(at);
  if (command === "--version") return { folders, args: [command] };
  if (!Object.hasOwn(COMMANDS, command)) return undefined;
  const { always = [], never = [], reads } = COMMANDS[command]!;
  const refused = [...NEVER, ...never];
  const isPlain = given.every(
    (argument) => HARMLESS.test(argument) || !isRefused(argument, refused),
  );
  if (!isPlain || reads?.(given) === false) return undefined;
  return { folders, args: [command, ...always, ...given] };
}

/** git accepts abbreviations of long options. */
function isRefused(argument: string, refused: readonly string[]): boolean {
  const [name = ""] = argument.split("=", 1);
  if (!/^--./.test(name)) return false;
  if ("--diff-merges".startsWith(name)) return !MERGE_FORMATS.test(argument);
  return refused.some((option) => option.startsWith(name));
}

/** Options with which `branch` and `tag` list, so that other arguments are patterns or revisions. */
const LISTS =
  /^--(list|(no-)?merged(=.*)?|(no-)?contains(=.*)?|points-at(=.*)?)$/;
/** Options that change only the format of a list. */
const SHOWS =
  /^--(ignore-case|(no-)?colou?r(=\w+)?|(no-)?column(=\w+)?|sort=.*|format=.*)$/;
const SHOWS_BRANCHES =
  /^(-[arv]+|--(all|remotes|verbose|show-current|(no-)?abbrev(=\d+)?))$/;

function listsBranches(args: readonly string[]): boolean {
  return onlyLists(
    args,
    (option) => LISTS.test(option),
    (option) => SHOWS_BRANCHES.test(option),
  );
}

function listsTags(args: readonly string[]): boolean {
  return onlyLists(
    args,
    (option) => option === "-l" || LISTS.test(option),
    (option) => /^-n\d*$/.test(option),
  );
}

/** A name without an option that lists would create a branch or a tag. */
function onlyLists(
  args: readonly string[],
  lists: (option: string) => boolean,
  shows: (option: string) => boolean,
): boolean {
  const takesNames = args.some(lists);
  return args.every((argument) =>
    argument.startsWith("-")
      ? lists(argument) || shows(argument) || SHOWS.test(argument)
      : takesNames,
  );
}

/** With a second name, it would change the first. */
function readsSymbolicRef(args: readonly string[]): boolean {
  const names = args.filter(
    (argument) => !/^(--short|-q|--quiet)$/.test(argument),
  );
  return names.length === 1 && !names[0]!.startsWith("-");
}
