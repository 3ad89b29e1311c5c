import {
  askAboutFailure,
  askToFixHook,
  askToSolveConflicts,
  askToUpdate,
} from "./prompts.ts";
import type { GitPrograms } from "./wire.ts";

/** What was being done. */
export type ShippingAction =
  | "stage"
  | "discard"
  | "undo-discard"
  | "commit"
  | "undo"
  | "push"
  | "programs"
  | "pull-request"
  | "log";

/** What the user can do about an error. */
export type NextStep =
  | {
      kind: "again" | "refresh" | "commit-all" | "allow" | "overwrite";
      label: string;
    }
  /** Takes the trust in the repository's programs back, and tries again without them. */
  | { kind: "leave-out"; label: string }
  /** Sends the agent a message. */
  | { kind: "ask"; label: string; prompt: string }
  | { kind: "terminal"; label: string }
  /** Commands for the user to run. */
  | { kind: "commands"; label: string; commands: readonly string[] };

/** What is known when an operation was refused. */
export interface Refusal {
  code: string;
  detail: string;
  action: ShippingAction;
  /** What hooks printed. */
  output: string;
  branch: string | undefined;
  programs: GitPrograms | undefined;
}

const again: NextStep = { kind: "again", label: "Try again" };
const refresh: NextStep = { kind: "refresh", label: "Refresh" };
const terminal: NextStep = { kind: "terminal", label: "Open the terminal" };
const allow: NextStep = { kind: "allow", label: "Let git run them here" };
const solve: NextStep = {
  kind: "ask",
  label: "Ask the agent to solve the conflicts",
  prompt: askToSolveConflicts(),
};

/** By the code of an error. A code that is not here is only told. */
const table: Readonly<Record<string, (refusal: Refusal) => NextStep[]>> = {
  GIT_NOTHING_STAGED: () => [
    { kind: "commit-all", label: "Commit all files" },
    refresh,
  ],
  GIT_CONFLICTED: () => [solve],
  GIT_BUSY: () => [again],
  GIT_HOOK_FAILED: (refusal) => [
    {
      kind: "ask",
      label: "Send to the agent",
      prompt: askToFixHook(refusal.output),
    },
    ...leaveOut(refusal, "hooks"),
  ],
  GIT_IDENTITY_MISSING: () => [
    {
      kind: "commands",
      label: "Say who you are",
      commands: [
        'git config --global user.name "Your Name"',
        'git config --global user.email "you@example.com"',
      ],
    },
    again,
  ],
  GIT_HUNK_CHANGED: () => [refresh],
  GIT_DISCARD_IMPOSSIBLE: () => [refresh],
  FILES_CHANGED_SINCE: () => [
    { kind: "overwrite", label: "Put it back all the same" },
    refresh,
  ],
  FILE_CHANGED: () => [again],
  AGENT_BUSY: () => [again],
  CHECKPOINT_IMPOSSIBLE: () => [again],
  TURN_CHANGES_NOT_FOUND: () => [refresh],
  GIT_PROGRAMS_NEEDED: () => [allow],
  GIT_PROGRAMS_CHANGED: () => [refresh],
  GIT_PUSH_REJECTED: ({ branch }) => [
    {
      kind: "ask",
      label: "Ask the agent to bring the branch up to date",
      prompt: askToUpdate(branch),
    },
  ],
  GIT_PUSH_DENIED: () => [terminal, again],
  GIT_REMOTE_UNREACHABLE: () => [again],
  GIT_PUSH_IMPOSSIBLE: () => [refresh],
  GIT_UNDO_IMPOSSIBLE: () => [refresh],
  GIT_SIGNING_FAILED: (refusal) => [...leaveOut(refusal, "signing"), again],
  GIT_FAILED: askAbout,
  GIT_WRITE_FAILED: askAbout,
  PULL_REQUEST_REFUSED: () => [refresh],
  AGENT_TOOL_MISSING: () => [refresh],
  TOOL_FAILED: () => [again],
  TOOL_TIMEOUT: () => [again],
  CHECK_LOG_NOT_FOUND: () => [refresh],
  UNREACHABLE: () => [again],
};

function askAbout({ detail }: Refusal): NextStep[] {
  const label = "Ask the agent about it";
  return [again, { kind: "ask", label, prompt: askAboutFailure(detail) }];
}

/** What the user can do about an error, the best first. */
export function nextStepsFor(refusal: Refusal): NextStep[] {
  return table[refusal.code]?.(refusal) ?? [];
}

/** The codes that have a step. */
export const knownCodes: readonly string[] = Object.keys(table);

/** Where git cannot do it without them, leaving them out is no way. */
function leaveOut(
  { action, programs }: Refusal,
  what: "hooks" | "signing",
): NextStep[] {
  if (!programs?.trusted || programs.required.length > 0) return [];
  const verb = action === "push" ? "Push" : "Commit";
  return [{ kind: "leave-out", label: `${verb} without ${what}` }];
}
