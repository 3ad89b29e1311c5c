import { isWellFormed, showPath } from "@gantry/agent-folder";
import * as z from "zod";
import { errors } from "../errors.ts";
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

/** What a command can do: nothing is lost; files or branches change; others can see it. */
export const GIT_RISKS = ["safe", "moves", "publishes"] as const;

export type GitAction = (typeof GIT_ACTIONS)[number];
export type GitRisk = (typeof GIT_RISKS)[number];

/** Characters that control a terminal or change the order in which text is shown. */
const CONTROL = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** The action to write a command for. */
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

/** A command that was written and not run. */
export interface ComposedCommand {
  /** The line for a shell. */
  command: string;
  /** Its words, the first being `git`. */
  args: string[];
  risk: GitRisk;
}

/**
 * Writes the command for an action. It runs nothing, and nothing in it can be taken for another option or another command.
 *
 * @throws REVISION_INVALID, COMPOSE_INCOMPLETE
 */
export function composeCommand(input: ComposeInput): ComposedCommand {
  const words = BUILDERS[input.action](new Parts(input));
  const args = ["git", ...words];
  return {
    command: args.map(quote).join(" "),
    args,
    risk: RISKS[input.action],
  };
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

const BUILDERS: Readonly<Record<GitAction, (parts: Parts) => string[]>> = {
  commit: (parts) => ["commit", "-a", "-m", parts.message()],
  push: (parts) =>
    parts.has("target") || parts.has("name")
      ? ["push", "-u", parts.ref("target", "origin"), parts.ref("name", "HEAD")]
      : ["push"],
  pull: (parts) =>
    parts.has("target") || parts.has("name")
      ? [
          "pull",
          "--ff-only",
          parts.ref("target", "origin"),
          ...parts.optional("name"),
        ]
      : ["pull", "--ff-only"],
  branch: (parts) => ["branch", parts.ref("name"), ...parts.optional("target")],
  switch: (parts) =>
    parts.has("name")
      ? ["switch", "-c", parts.ref("name"), ...parts.optional("target")]
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
