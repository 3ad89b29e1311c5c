import { toVisibleText } from "@gantry/plugin";
import {
  ComposeParts,
  type ComposeInput,
  type GitAction,
  type GitRisk,
} from "./compose-input.ts";
import type { ComposeState } from "./compose-state.ts";
import { quoteWord } from "./quote-word.ts";

/** A command that was composed and not run. */
export interface ComposedCommand {
  /** The line for a shell. */
  command: string;
  /** The words of each command in it, the first being `git`. */
  steps: string[][];
  /** The words of the last one. */
  args: string[];
  risk: GitRisk;
  /** What it does that may be unexpected, in whole sentences. */
  warnings: string[];
}

/** New files that a warning names. */
const MAX_NAMED = 5;

/** Said of a folder that is in no repository. */
const NO_STATE: ComposeState = {
  branch: "HEAD",
  upstream: undefined,
  remote: "origin",
  hasRemotes: true,
  defaults: ["main", "master"],
  target: undefined,
  isBranch: false,
  outside: "..",
  status: undefined,
};

/**
 * Writes the command for an action. It runs nothing, and nothing in it can be taken for another option or another command.
 *
 * @throws REVISION_INVALID, COMPOSE_INCOMPLETE
 */
export function composeCommand(
  input: ComposeInput,
  state: ComposeState = NO_STATE,
): ComposedCommand {
  const warnings: string[] = [];
  const parts = new ComposeParts(input);
  const built =
    input.action === "push"
      ? [buildPush(parts, state, warnings)]
      : input.action === "commit"
        ? buildCommit(parts, state, warnings)
        : [BUILDERS[input.action](parts, state)];
  const steps = built.map((words) => ["git", ...words]);
  return {
    command: steps.map((words) => words.map(quoteWord).join(" ")).join(" && "),
    steps,
    args: steps.at(-1) ?? [],
    risk: RISKS[input.action],
    warnings: warnings.map(toVisibleText),
  };
}

/** Names where the branch goes: what git does without that depends on settings, and may be to write to `main`. */
function buildPush(
  parts: ComposeParts,
  { branch, upstream, remote, hasRemotes, defaults, isBranch }: ComposeState,
  warnings: string[],
): string[] {
  if (!hasRemotes)
    warnings.push(
      "The repository has no remote; add one with git remote add first.",
    );
  const to = parts.has("target")
    ? parts.ref("target")
    : (remote ?? (hasRemotes ? undefined : "origin"));
  if (to === undefined)
    throw parts.missing("target", "name a remote, there is none to choose.");
  const given = parts.has("name")
    ? parts.ref("name").replace(/^refs\/heads\//, "")
    : "HEAD";
  const name = given === "HEAD" ? branch : given;
  if (name === undefined)
    throw parts.missing("name", "no branch is checked out.");
  if (defaults.includes(name))
    warnings.push(`This writes to ${name} of ${to}.`);
  if (name !== branch) {
    const full = `refs/heads/${name}`;
    const isFull = isBranch || parts.ref("name") === full;
    return ["push", "-u", to, isFull ? `${full}:${full}` : name];
  }
  if (upstream && upstream.branch !== branch)
    warnings.push(
      `The branch follows ${upstream.remote}/${upstream.branch}, to which a plain "git push" may write. This pushes to ${branch} of ${to}, and the branch follows that afterwards.`,
    );
  const where = branch === "HEAD" ? "HEAD" : `HEAD:refs/heads/${branch}`;
  return ["push", "-u", to, where];
}

/** A commit takes up new files too, but no repository of its own. */
function buildCommit(
  parts: ComposeParts,
  { status }: ComposeState,
  warnings: string[],
): string[][] {
  const message = ["-m", parts.message()];
  const { items = [], repositories = [] } = status ?? {};
  const inside = new Set(items.flatMap(({ submodule }) => submodule ?? []));
  for (const path of inside)
    warnings.push(
      `Changes in the submodule ${path} are not in this commit; commit them there first.`,
    );
  if (items.some(({ kind }) => kind === "conflicted"))
    warnings.push(
      "Files are in conflict; this commit takes them as they are now.",
    );
  const fresh = items.filter(
    ({ kind, submodule }) => kind === "untracked" && submodule === null,
  );
  if (status && items.length === 0 && status.notices.length === 0)
    warnings.push("Nothing has changed, so there is nothing to commit.");
  if (fresh.length === 0) return [["commit", "-a", ...message]];
  const named = fresh.slice(0, MAX_NAMED).map(({ path }) => path);
  const more = fresh.length > named.length ? ", …" : "";
  warnings.push(
    `New files are in this commit too (${fresh.length}): ${named.join(", ")}${more}`,
  );
  const others = repositories.filter(({ kind }) => kind !== "submodule");
  const left = others.map(({ path }) => `:(top,exclude,literal)${path}`);
  const all = left.length === 0 ? [] : ["--", ":/", ...left];
  return [
    ["add", "-A", ...all],
    ["commit", ...message],
  ];
}

/** How git is told to check out what is no branch here. */
const SWITCHES = { branch: [], remote: ["--track"], commit: ["--detach"] };

const RISKS: Readonly<Record<GitAction, GitRisk>> = {
  commit: "safe",
  branch: "safe",
  tag: "safe",
  worktree: "safe",
  pull: "moves",
  switch: "moves",
  merge: "moves",
  rebase: "moves",
  stash: "moves",
  push: "publishes",
};

const BUILDERS: Readonly<
  Record<
    Exclude<GitAction, "commit" | "push">,
    (parts: ComposeParts, state: ComposeState) => string[]
  >
> = {
  pull(parts, { branch, upstream, remote }) {
    if (parts.has("target") || parts.has("name"))
      return [
        "pull",
        "--ff-only",
        parts.ref("target", "origin"),
        ...parts.optional("name"),
      ];
    // Without an upstream, git would not know what to take.
    return upstream || !branch || branch === "HEAD" || !remote
      ? ["pull", "--ff-only"]
      : ["pull", "--ff-only", remote, `refs/heads/${branch}`];
  },
  branch: (parts) => [
    "branch",
    ...parts.start(),
    parts.ref("name"),
    ...parts.optional("target"),
  ],
  switch: (parts, { target }) =>
    parts.has("name")
      ? [
          "switch",
          ...parts.start(),
          "-c",
          parts.ref("name"),
          ...parts.optional("target"),
        ]
      : ["switch", ...SWITCHES[target ?? "branch"], parts.ref("target")],
  merge: (parts) => [
    "merge",
    ...(parts.has("message") ? ["-m", parts.message()] : []),
    parts.ref("target"),
  ],
  rebase: (parts) => ["rebase", parts.ref("target")],
  stash: (parts) => [
    "stash",
    "push",
    "--include-untracked",
    ...(parts.has("message") ? ["-m", parts.message()] : []),
  ],
  tag: (parts) => [
    "tag",
    ...(parts.has("message") ? ["-a", "-m", parts.message()] : []),
    parts.ref("name"),
    ...parts.optional("target"),
  ],
  worktree(parts, { isBranch, outside }) {
    const name = parts.ref("name");
    // Beside the working tree, under a name without further folders.
    const place = `${outside}/${name.replaceAll("/", "-")}`;
    return isBranch && !parts.has("target")
      ? ["worktree", "add", place, name]
      : [
          ...["worktree", "add", ...parts.start(), "-b", name, place],
          ...parts.optional("target"),
        ];
  },
};
