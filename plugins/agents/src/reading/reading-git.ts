/** Options of git itself that come before its command and change nothing of what it does. */
const PLAIN = new Set(["--no-pager", "--no-optional-locks"]);

/** Commands that read, whatever they are given, but for {@link NEVER}. */
const READING = new Set([
  ..."blame cat-file check-attr check-ignore cherry count-objects describe".split(
    " ",
  ),
  ..."diff diff-files diff-index diff-tree for-each-ref grep log".split(" "),
  ..."ls-files ls-tree merge-base name-rev range-diff rev-list rev-parse".split(
    " ",
  ),
  ..."shortlog show show-branch show-ref status version whatchanged".split(" "),
]);

/** Options that write a file, take a lock or run a program. git takes the beginning of a name for the name. */
const NEVER = [
  "--output",
  "--ext-diff",
  "--textconv",
  "--filters",
  "--open-files-in-pager",
  "--show-signature",
  "--dirty",
  "--broken",
];

/** Options with which `branch` and `tag` list, and what follows is a pattern or a revision. */
const LISTS =
  /^--(list|(no-)?merged(=.*)?|(no-)?contains(=.*)?|points-at(=.*)?)$/;
/** Others of theirs that change nothing. */
const SHOWS =
  /^(-[arv]+|-n\d*|--(all|remotes|verbose|show-current|ignore-case|(no-)?colou?r(=\w+)?|(no-)?column(=\w+)?|(no-)?abbrev(=\d+)?|sort=.*|format=.*))$/;

/** Whether a call of git only reads. Its arguments are words that the shell leaves as they are. */
export function gitOnlyReads(args: readonly string[]): boolean {
  let rest = args;
  for (;;) {
    const [first] = rest;
    if (first !== undefined && PLAIN.has(first)) rest = rest.slice(1);
    else if (first === "-C" && rest.length > 1) rest = rest.slice(2);
    else break;
  }
  const [command = "", ...given] = rest;
  if (command === "--version") return true;
  if (given.some((argument) => isNever(command, argument))) return false;
  if (READING.has(command)) return true;
  const [second] = given;
  switch (command) {
    case "branch":
    case "tag":
      return onlyLists(command, given);
    case "remote":
      return (
        given.every((argument) => /^(-v|--verbose)$/.test(argument)) ||
        second === "get-url"
      );
    case "stash":
      return second === "list" || second === "show";
    case "worktree":
      return second === "list";
    case "reflog":
      return !given.some((argument) =>
        /^(expire|delete|drop|write)$/.test(argument),
      );
    case "symbolic-ref": {
      // With a second name it would move the first.
      const names = given.filter(
        (argument) => !/^(--short|-q)$/.test(argument),
      );
      return names.length === 1 && !names[0]!.startsWith("-");
    }
    default:
      return false;
  }
}

function isNever(command: string, argument: string): boolean {
  if (command === "grep" && /^-[^-]*O/.test(argument)) return true;
  const [name = ""] = argument.split("=", 1);
  if (!/^--./.test(name)) return false;
  return NEVER.some((never) => never.startsWith(name));
}

/** A name alone would make a branch or a tag of it. */
function onlyLists(command: "branch" | "tag", given: readonly string[]) {
  const isList = (argument: string) =>
    LISTS.test(argument) || (command === "tag" && argument === "-l");
  const names = given.some(isList);
  return given.every((argument) =>
    argument.startsWith("-") ? isList(argument) || SHOWS.test(argument) : names,
  );
}
