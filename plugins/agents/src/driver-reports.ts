/** A slash command of a CLI. */
export interface DriverCommand {
  /** Without the slash. */
  name: string;
  description: string;
  source: "cli" | "skill" | "template";
}

/** A step of the plan that a CLI follows. */
export interface PlanItem {
  text: string;
  status: "pending" | "in_progress" | "completed";
}

/** Work that a CLI does in the background of its turns: a command, a sub-agent or a monitor. */
export interface BackgroundWork {
  id: string;
  kind: "task" | "agent" | "monitor";
  /** What it does; empty if the CLI does not say. */
  title: string;
}

/** Kinds of {@link TurnProblem}. */
export const TURN_PROBLEM_KINDS = [
  "usage-limit",
  "authentication",
  "billing",
  "overload",
  "model",
] as const;

/** Why a CLI cannot work for its user, as far as there is something that the user can do. */
export interface TurnProblem {
  kind: (typeof TURN_PROBLEM_KINDS)[number];
  /** When a limit is over, RFC 3339; `null` if the CLI does not say. */
  resetsAt: string | null;
}

/** How full the context of the model is. */
export interface ContextFill {
  /** Tokens that the model read last, with those of its answer. */
  usedTokens: number;
  /** Tokens that it can take; `null` if the CLI does not say. */
  sizeTokens: number | null;
}

/** A limit of a subscription over a period of time. */
export interface UsageWindow {
  /** Such as `5 hours`. */
  name: string;
  /** `null` if the CLI does not say. */
  usedPercent: number | null;
  /** When it is reset, RFC 3339; `null` if the CLI does not say. */
  resetsAt: string | null;
  state: "open" | "nearly-used" | "used-up";
}
