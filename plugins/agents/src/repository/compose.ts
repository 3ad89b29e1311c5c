import { toVisibleText } from "@gantry/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import { showPath } from "../folder/folder-path.ts";
import { isWellFormed } from "../folder/well-formed.ts";
import type { ComposeState } from "./compose-state.ts";
import { isRefName } from "./revision.ts";

export const GIT_ACTIONS = [
  "commit",
  "push",
  "pull",
  "branch",
  "switch",
  "merge",
  "rebase",
  "stash",
  "tag",
  "worktree",
] as const;

/** How much a command does: nothing that anybody has is lost; files or branches move; others can see it. */
export const GIT_RISKS = ["safe", "moves", "publishes"] as const;

export type GitAction = (typeof GIT_ACTIONS)[number];
export type GitRisk = (typeof GIT_RISKS)[number];

/** What would do more in a terminal than stand there, or stand there in another order. */
const CONTROL = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** What somebody wants done. */
export const composeInput = z.strictObject({
  action: z.enum(GIT_ACTIONS),
  /** A branch, a commit, or a remote where that is meant. */
  target: z.string().max(255).optional(),
  /** What is to be made: a branch, a tag, the folder of a working tree. */
  name: z.string().max(255).optional(),
  message: z
    .string()
    .max(10_000)
    .refine((text) => !CONTROL.test(text) && isWellFormed(text), {
      error: "must not contain control characters",
    })
    .optional(),
});

export type ComposeInput = z.infer<typeof composeInput>;

/** A command that nobody has run. */
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

/** Said of a folder that is in no repository. */
const NO_STATE: ComposeState = {
  branch: undefined,
  upstream: undefined,
  remote: undefined,
  defaults: ["main", "master"],
  isBranch: false,
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
  const parts = new Parts(input);
  const built =
    input.action === "push"
      ? [buildPush(parts, state, warnings)]
      : input.action === "commit"
        ? buildCommit(parts, state, warnings)
        : [BUILDERS[input.action](parts, state)];
  const steps = built.map((words) => ["git", ...words]);
  return {
    command: steps.map((words) => words.map(quote).join(" ")).join(" && "),
    steps,
    args: steps.at(-1) ?? [],
    risk: RISKS[input.action],
    warnings: warnings.map(toVisibleText),
  };
}

/** Names where the branch goes: what git does without that depends on settings, and may be to write to `main`. */
function buildPush(
  parts: Parts,
  { branch, upstream, remote, defaults, isBranch }: ComposeState,
  warnings: string[],
): string[] {
  const to = parts.has("target") ? parts.ref("target") : (remote ?? "origin");
  const isOther = parts.has("name") && parts.ref("name") !== branch;
  const name = isOther ? parts.ref("name") : branch;
  if (name !== undefined && defaults.includes(name))
    warnings.push(`This writes to ${name} of ${to}.`);
  if (isOther) {
    const full = `refs/heads/${name}`;
    return ["push", "-u", to, isBranch ? `${full}:${full}` : `${name}`];
  }
  if (upstream && upstream.branch !== branch)
    warnings.push(
      `The branch follows ${upstream.remote}/${upstream.branch}, to which a plain "git push" may write. This pushes to ${branch} of ${to}, and the branch follows that afterwards.`,
    );
  return ["push", "-u", to, branch ? `HEAD:refs/heads/${branch}` : "HEAD"];
}

/** A commit takes up new files too, but no repository of its own. */
function buildCommit(
  parts: Parts,
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
  const isNew = items.some(
    ({ kind, submodule }) => kind === "untracked" && submodule === null,
  );
  if (!isNew) return [["commit", "-a", ...message]];
  warnings.push("New files are in this commit too.");
  const others = repositories.filter(({ kind }) => kind !== "submodule");
  const left = others.map(({ path }) => `:(top,exclude,literal)${path}`);
  const all = left.length === 0 ? [] : ["--", ":/", ...left];
  return [
    ["add", "-A", ...all],
    ["commit", ...message],
  ];
}

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
    (parts: Parts, state: ComposeState) => string[]
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
    return upstream || !branch || !remote
      ? ["pull", "--ff-only"]
      : ["pull", "--ff-only", remote, `refs/heads/${branch}`];
  },
  branch: (parts) => [
    "branch",
    ...parts.start(),
    parts.ref("name"),
    ...parts.optional("target"),
  ],
  switch: (parts) =>
    parts.has("name")
      ? [
          "switch",
          ...parts.start(),
          "-c",
          parts.ref("name"),
          ...parts.optional("target"),
        ]
      : ["switch", parts.ref("target")],
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
  worktree: (parts) => [
    "worktree",
    "add",
    ...parts.start(),
    "-b",
    parts.ref("name"),
    // Beside the folder, under a name without further folders.
    `../${parts.ref("name").replaceAll("/", "-")}`,
    ...parts.optional("target"),
  ],
};

/** What was given, checked when it is used. */
class Parts {
  readonly #input: ComposeInput;

  constructor(input: ComposeInput) {
    this.#input = input;
  }

  has(field: "target" | "name" | "message"): boolean {
    return (this.#input[field] ?? "").trim() !== "";
  }

  ref(field: "target" | "name", otherwise?: string): string {
    const value = this.has(field) ? (this.#input[field] ?? "") : otherwise;
    if (value === undefined) throw this.#missing(field);
    if (!isRefName(value))
      throw errors.REVISION_INVALID({ revision: showPath(value) });
    return value;
  }

  optional(field: "target" | "name"): string[] {
    return this.has(field) ? [this.ref(field)] : [];
  }

  /** A branch that starts at another does not follow that: a plain push of it would write there. */
  start(): string[] {
    return this.has("target") ? ["--no-track"] : [];
  }

  message(): string {
    if (!this.has("message")) throw this.#missing("message");
    return (this.#input.message ?? "").trim();
  }

  #missing(field: string) {
    const { action } = this.#input;
    const reason =
      field === "message"
        ? "say what changed."
        : "name a branch, a tag or a commit.";
    return errors.COMPOSE_INCOMPLETE({ action, field, reason });
  }
}

/** A word as a shell takes it for itself. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word)
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}
