/** The end of an output that goes to an agent, in characters. */
const MAX_OUTPUT = 20_000;

/** Asks for a commit message of what is staged, or of everything where nothing is. */
export function askForMessage(isStaged: boolean, written: string): string {
  const changes = isStaged
    ? "the staged changes (git diff --cached)"
    : "all changes since the last commit (git diff HEAD, and the new files)";
  const kept = written.trim();
  return [
    `Write a commit message for ${changes}.`,
    "The first line is a subject of at most 72 characters in the imperative. Where the reason is not plain from it, a blank line and the reason follow. Keep to the style of the earlier commits (git log).",
    kept === "" ? "" : `Build on what I wrote:\n\n${fence(kept)}`,
    "Answer with the message alone. Change no file, stage nothing, and do not commit.",
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** Asks to fix what a hook refused. */
export function askToFixHook(output: string): string {
  return withOutput(
    "A git hook refused the commit or the push. Fix what it found; I commit and push myself.",
    output,
  );
}

/** Asks to bring a branch up to date with its remote. */
export function askToUpdate(branch: string | undefined): string {
  const what = branch === undefined ? "this branch" : `the branch ${branch}`;
  return `The remote has commits on ${what} that are not here. Bring it up to date: fetch, rebase the local commits onto it, and solve conflicts so that both sides keep what they meant. Do not push.`;
}

/** Asks to solve the conflicts. */
export function askToSolveConflicts(): string {
  return "Solve the conflicts in this repository: keep what both sides meant, take the marks out of the files, run the tests that concern them, and stage the solved files. Do not commit.";
}

/** Asks to fix a failed check of a pull request. */
export function askToFixCheck(
  number: number,
  check: string,
  log: string,
): string {
  return withOutput(
    `The check "${check}" of pull request #${number} failed. Find the cause and fix it; I commit and push myself. The end of its log:`,
    log,
  );
}

/** Asks to look at an operation that failed. */
export function askAboutFailure(what: string): string {
  return `Git refused what I tried: ${what} Find out why, and tell me what to do. Change nothing yet.`;
}

function withOutput(words: string, output: string): string {
  const end = output.trimEnd().slice(-MAX_OUTPUT);
  return end === "" ? words : `${words}\n\n${fence(end)}`;
}

/** A text in a fence that nothing in it ends. */
function fence(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const longest = Math.max(0, ...runs.map(({ length }) => length));
  const marks = "`".repeat(Math.max(3, longest + 1));
  return `${marks}\n${text}\n${marks}`;
}

/** The message in an answer: what is in its fence if it has one, else all of it. */
export function toMessage(answer: string): string {
  const fences = [
    ...answer.matchAll(/^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?^\1[ \t]*$/gm),
  ];
  const [only] = fences;
  const text = only && fences.length === 1 ? (only[2] ?? "") : answer;
  return text.replace(/\r\n/g, "\n").trim();
}
