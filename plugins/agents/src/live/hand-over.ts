import { type AgentSession, SessionGone } from "@gantry/agent-kit";
import type { Entry } from "../transcript/entry.ts";
import type { AgentJournal } from "./agent-journal.ts";
import { NotDelivered, toMessageEntry, type Delivery } from "./delivery.ts";

/** The outcome of the delivery of a message to a CLI. */
export type HandOverResult =
  /** The CLI received it. */
  | { kind: "confirmed"; entry: Entry }
  /** The user stopped it, and the CLI did not receive it. */
  | { kind: "stopped" }
  /** The CLI certainly did not receive it, and it was not stopped. */
  | { kind: "not-delivered"; error: NotDelivered }
  /** It is unknown whether the CLI received it. */
  | { kind: "unconfirmed" }
  /** The CLI refused it, or exited because of it. */
  | { kind: "failed"; error: unknown };

/** State of a delivery in progress, shared with the code that can stop it. */
export interface HandOverState {
  /** Whether sending it to the CLI has begun. */
  isSent: boolean;
  /** Whether the user has requested a stop. */
  isStopped: boolean;
  /** Whether the CLI has reported work of its turn. */
  hasWorked: boolean;
}

/** Dependencies of {@link handOver}. */
export interface HandOverHost {
  session: AgentSession;
  journal: AgentJournal;
  /** Whether the daemon is ending the process, so that its end is not attributed to the message. */
  isClosing(): boolean;
  /** Whether the CLI's own record holds a message that was sent at `since`; `null` if that is unknown. */
  holdsPrompt(text: string, since: string): Promise<boolean | null>;
}

/**
 * Sends a message to the CLI and determines whether the CLI received it: by the confirmation of the protocol or, if the
 * process ended before that, by the CLI's own record. A message that the CLI did not receive is removed from the
 * conversation, so that its next delivery does not show it twice.
 */
export async function handOver(
  host: HandOverHost,
  delivery: Delivery,
  kind: "prompt" | "steer",
  state: HandOverState,
): Promise<HandOverResult> {
  const { session, journal } = host;
  const { images, turnId: turn } = delivery;
  const text = delivery.context + delivery.text;
  let entry: Entry | undefined;
  try {
    // Before it is sent: after a crash, a message that is not in the transcript was certainly not sent.
    [entry] = await journal.append([toMessageEntry(delivery, kind)], true);
    if (state.isStopped) return { kind: "stopped" };
    if (host.isClosing()) throw new NotDelivered("The agent is being closed.");
    state.isSent = true;
    const signal = new AbortController().signal;
    const handed =
      kind === "prompt"
        ? session.prompt({ text, images, turn }, signal)
        : steer(session, { text, images }, signal);
    await Promise.race([handed, rejectAtEnd(session)]);
    return { kind: "confirmed", entry: entry! };
  } catch (error) {
    if (!entry || !state.isSent) return await withdrawn(entry, error);
    const isLost = error instanceof SessionGone || host.isClosing();
    if (isLost) return await lookUp(entry, error);
    return state.isStopped ? { kind: "stopped" } : { kind: "failed", error };
  }

  /** Determines the outcome after the process ended without a confirmation. */
  async function lookUp(
    written: Entry,
    error: unknown,
  ): Promise<HandOverResult> {
    await session.ended;
    const isHeld =
      state.hasWorked || (await host.holdsPrompt(text, written.at));
    if (isHeld) return { kind: "confirmed", entry: written };
    if (state.isStopped) return { kind: "stopped" };
    if (!host.isClosing()) return { kind: "failed", error };
    if (isHeld === null) return { kind: "unconfirmed" };
    await journal.withdraw(written.id);
    return { kind: "not-delivered", error: new NotDelivered(String(error)) };
  }

  async function withdrawn(
    written: Entry | undefined,
    error: unknown,
  ): Promise<HandOverResult> {
    if (!(error instanceof NotDelivered)) return { kind: "failed", error };
    if (written) await journal.withdraw(written.id);
    return { kind: "not-delivered", error };
  }
}

/** Sends a steer; a CLI whose capabilities lack it was refused before. */
async function steer(
  session: AgentSession,
  message: Parameters<NonNullable<AgentSession["steer"]>>[0],
  signal: AbortSignal,
): Promise<void> {
  if (!session.steer) throw new Error("It takes no messages within a turn.");
  await session.steer(message, signal);
}

async function rejectAtEnd({ ended }: AgentSession): Promise<never> {
  const { message } = await ended;
  throw new SessionGone(message);
}
