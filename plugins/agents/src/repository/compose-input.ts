import * as z from "zod";
import { errors } from "../errors.ts";
import { showPath } from "../folder/folder-path.ts";
import { isWellFormed } from "../folder/well-formed.ts";
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

/** How much a command does: nothing is lost; files or branches move; others can see it. */
export const GIT_RISKS = ["safe", "moves", "publishes"] as const;

export type GitAction = (typeof GIT_ACTIONS)[number];
export type GitRisk = (typeof GIT_RISKS)[number];

/** What would do more in a terminal than stand there, or stand there in another order. */
const CONTROL = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** A message of a commit, a merge or a tag. */
export const gitMessage = z
  .string()
  .max(10_000)
  .refine((text) => !CONTROL.test(text) && isWellFormed(text), {
    error: "must not contain control characters",
  });

/** What the user wants done. */
export const composeInput = z.strictObject({
  action: z.enum(GIT_ACTIONS),
  /** A branch, a commit, or a remote where that is meant. */
  target: z.string().max(255).optional(),
  /** What is to be made: a branch, a tag, the folder of a working tree. */
  name: z.string().max(255).optional(),
  message: gitMessage.optional(),
});

export type ComposeInput = z.infer<typeof composeInput>;

/** What was given, checked when it is used. */
export class ComposeParts {
  readonly #input: ComposeInput;

  constructor(input: ComposeInput) {
    this.#input = input;
  }

  has(field: "target" | "name" | "message"): boolean {
    return (this.#input[field] ?? "").trim() !== "";
  }

  ref(field: "target" | "name", otherwise?: string): string {
    const value = this.has(field) ? (this.#input[field] ?? "") : otherwise;
    if (value === undefined)
      throw this.missing(field, "name a branch, a tag or a commit.");
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
    if (!this.has("message"))
      throw this.missing("message", "say what changed.");
    return (this.#input.message ?? "").trim();
  }

  missing(field: "target" | "name" | "message", reason: string) {
    const { action } = this.#input;
    return errors.COMPOSE_INCOMPLETE({ action, field, reason });
  }
}
