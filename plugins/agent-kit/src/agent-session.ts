import type { AgentCapabilities } from "./capabilities.ts";
import type { DialogAnswer } from "./driver-dialog.ts";

/** A picture sent with a prompt. */
export interface PromptImage {
  mimeType: string;
  /** Base64. */
  data: string;
}

/** The result of compacting a conversation. Unknown figures are `null`. */
export interface CompactOutcome {
  compacted: boolean;
  tokensBefore: number | null;
  tokensAfter: number | null;
}

/** How a session ended. */
export interface SessionEnd {
  /** `protocol`: the CLI violated its protocol, and the driver ended it. */
  reason: "exit" | "protocol";
  /** For the user: exit code or signal with the end of stderr, or the protocol violation. */
  message: string;
}

/** A live conversation with a CLI. It takes one prompt at a time; the daemon queues the others. */
export interface AgentSession {
  readonly sessionId: string;
  /** Data with which the driver finds the conversation again; stored with the agent. */
  readonly resumeKey: string | null;
  /** Capabilities of this CLI, known after its start. */
  readonly capabilities: AgentCapabilities;
  /** The version that the CLI reports, `null` if none. */
  readonly version: string | null;
  /** Id of the process that holds the conversation, if there is one. */
  readonly pid: number | null;
  /** Resolves when the process has ended; never rejects. */
  readonly ended: Promise<SessionEnd>;
  /**
   * Delivers a prompt, whose turn gets the id `turn`. Resolves only when the CLI has confirmed the prompt in the way
   * that its protocol provides; the turn later ends with `turn-ended`. Rejects if the CLI refused it, or if the CLI
   * ended or `signal` aborted before that.
   */
  prompt(
    input: { text: string; images: readonly PromptImage[]; turn: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** As {@link prompt}, into the running turn. Missing where the capability is false. */
  steer?(
    input: { text: string; images: readonly PromptImage[] },
    signal: AbortSignal,
  ): Promise<void>;
  /** Asks the CLI to stop its turn. Resolves when the request was sent; the turn ends with `turn-ended`. */
  abort(signal: AbortSignal): Promise<void>;
  /** Answers an open dialog. */
  answer(
    dialogId: string,
    answer: DialogAnswer,
    signal: AbortSignal,
  ): Promise<void>;
  /** Compacts the conversation; only called between turns. Missing where the capability is false. */
  compact?(signal: AbortSignal): Promise<CompactOutcome>;
  /** Ends the process tree gracefully: closes stdin, then sends TERM, then KILL. Idempotent. */
  end(): Promise<void>;
  /** Kills the process tree at once. */
  kill(): Promise<void>;
}
