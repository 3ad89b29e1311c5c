import type { DriverDialog } from "./driver-dialog.ts";
import type { AgentUsage } from "./usage.ts";

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

/**
 * Something that happened within a turn. `turn` is the id passed to {@link AgentSession.prompt}, or one of the driver's
 * own for a turn that the CLI started by itself. Events of an ended turn are ignored, so a driver need not track that.
 */
export type TurnEvent = { turn: string } & (
  | /** The CLI started working, on a prompt or by itself. */
    { type: "turn-started" }
    /** The turn has ended. `error` is set with the reason `error`. */
  | {
      type: "turn-ended";
      stopReason: "end" | "cancelled" | "refused" | "error";
      /** The final message: the text after the last tool call. */
      answer: string;
      error: string | null;
    }
  /** A piece of a text that is still growing. */
  | { type: "delta"; channel: "text" | "thinking"; text: string }
  /** A complete text, which replaces the deltas before it. */
  | { type: "message"; channel: "text" | "thinking"; text: string }
  /** A tool is running. Emitted again with the same `callId` when more is known about the call. */
  | {
      type: "tool-started";
      callId: string;
      name: string;
      title: string;
      input: string;
    }
  /** The complete output so far, for a CLI that repeats it. */
  | { type: "tool-progress"; callId: string; output: string }
  /** A further piece of the output. */
  | { type: "tool-output"; callId: string; text: string }
  | { type: "tool-ended"; callId: string; failed: boolean; output: string }
);

/** Something that happened in a session, within the turn `turn` or, where that is `null`, outside of turns. */
export type SessionEvent = { turn: string | null } & (
  | /** Spending since the previous report. `reportedCostUsd` is the CLI's own running total, if it has one. */
    { type: "usage"; usage: AgentUsage; reportedCostUsd: number | null }
  | { type: "dialog-opened"; dialog: DriverDialog }
  /** The CLI no longer waits for this answer. */
  | { type: "dialog-closed"; dialogId: string }
  /** The complete plan that the CLI is following. */
  | { type: "plan"; items: readonly PlanItem[] }
  /** A message to the user. */
  | { type: "notice"; text: string }
);

/** A fact that applies to the session from now on, independent of turns. */
export type SessionFact =
  /** The complete list of slash commands that the CLI accepts now. */
  | { type: "commands"; commands: readonly DriverCommand[] }
  /** The model that answers, by the CLI's name for it. */
  | { type: "model"; model: string }
  /** The session is now in another conversation. */
  | { type: "session"; sessionId: string; resumeKey: string | null };

/** An event of a driver. Drivers emit events in order. */
export type DriverEvent = TurnEvent | SessionEvent | SessionFact;

/** Receives the events of a session. The driver continues reading when the promise is settled. */
export type DriverListener = (event: DriverEvent) => void | Promise<void>;
