import type { GitPrograms, PushTarget, ShippingState } from "./wire.ts";

/** What a button does, and why it cannot be pressed. */
export interface ButtonWords {
  label: string;
  /** A whole sentence; `undefined` if it can be pressed. */
  reason: string | undefined;
}

/** Longest first line of a message that lists show whole. */
export const MAX_SUBJECT = 72;

const count = (number: number, one: string, many = `${one}s`) =>
  `${number} ${number === 1 ? one : many}`;

/** The first line of a message is longer than most lists show. */
export function subjectWarning(message: string): string | undefined {
  const { length } = [...(message.trimStart().split("\n")[0] ?? "")];
  return length > MAX_SUBJECT
    ? `First line: ${length} characters, more than ${MAX_SUBJECT}`
    : undefined;
}

/** Whether a commit takes up everything, since nothing is staged. */
export function takesAll(
  state: Pick<ShippingState, "staged" | "unstaged">,
): boolean {
  return state.staged === 0 && state.unstaged > 0;
}

/** What the button that commits says. */
export function commitButton(
  state: ShippingState,
  message: string,
): ButtonWords {
  const { staged, unstaged, conflicts, stagedOutside, underway } = state;
  const isEmpty = staged + unstaged + stagedOutside.length === 0;
  const what = takesAll(state)
    ? `Commit ${unstaged === 1 ? "1 file" : `all ${unstaged} files`}`
    : isEmpty
      ? `Commit${underway === "merge" ? " the merge" : ""}`
      : `Commit ${count(staged || stagedOutside.length, "staged file")}`;
  return {
    label: what + withoutWords(state.programs, "commit"),
    reason:
      conflicts > 0
        ? `${conflicts === 1 ? "1 file is" : `${conflicts} files are`} in conflict.`
        : (neededReason(state.programs) ??
          (isEmpty && underway !== "merge"
            ? "Nothing has changed."
            : message.trim() === ""
              ? "Write a message first."
              : undefined)),
  };
}

/** What the button that pushes says; `undefined` if there is nothing to push. */
export function pushButton(
  push: PushTarget,
  programs: GitPrograms,
): ButtonWords | undefined {
  if (push.commits === 0) return undefined;
  const what =
    push.commits === null ? "Push" : `Push ${count(push.commits, "commit")}`;
  return {
    label: `${what} to ${push.remote}/${push.branch}${withoutWords(programs, "push")}`,
    reason: neededReason(programs),
  };
}

/** What is left out because git may not run it here, in a sentence; `undefined` if nothing is. */
export function leftOutWords(programs: GitPrograms): string | undefined {
  const { items, trusted } = programs;
  if (trusted || items.length === 0) return undefined;
  const kinds = [...new Set(items.map(kindOf))];
  const isOne = kinds.length === 1 && kinds[0] === "signing";
  const named = kinds.join(kinds.length > 2 ? ", " : " and ");
  const words = `${named.charAt(0).toUpperCase()}${named.slice(1)} ${isOne ? "is" : "are"} left out`;
  return isOne ? `${words}.` : `${words}: ${items.join(", ")}.`;
}

/** What git runs here, in a sentence. */
export function runsWords({ items }: GitPrograms): string {
  const named = items.map((item) => {
    const kind = kindOf(item);
    if (kind === "signing") return "the program that signs";
    return kind === "settings" ? `what ${item} names` : `the ${item}`;
  });
  return named.length > 0
    ? `Runs ${named.join(", ")}`
    : "Git may run programs here";
}

/** What a commit or a push of its own leaves out, as the end of a button's words. */
function withoutWords(
  { items, trusted }: GitPrograms,
  what: "commit" | "push",
): string {
  if (trusted) return "";
  const isPush = (item: string) => item.startsWith("pre-push");
  const kinds = items
    .filter((item) => (what === "push" ? isPush(item) : !isPush(item)))
    .map(kindOf);
  if (kinds.includes("hooks")) return " without hooks";
  return kinds.includes("signing") ? " without signing" : "";
}

function neededReason({ required, trusted }: GitPrograms): string | undefined {
  return trusted || required.length === 0
    ? undefined
    : `Git has to run ${required.join(", ")} for it, and may not do that here yet.`;
}

function kindOf(item: string): "hooks" | "signing" | "filters" | "settings" {
  if (/\bhooks?$/.test(item)) return "hooks";
  if (item === "signing") return "signing";
  return item.startsWith("filter ") ? "filters" : "settings";
}
