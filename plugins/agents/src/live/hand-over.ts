import type { AgentSession } from "../driver.ts";
import type { Entry } from "../transcript/entry.ts";
import { SessionGone } from "../wire/session-gone.ts";
import type { AgentJournal } from "./agent-journal.ts";
import { NotDelivered, toMessageEntry, type Delivery } from "./delivery.ts";

/** The result of handing a message to a CLI. */
export type HandOverResult =
  /** The CLI has it. */
  | { kind: "confirmed"; entry: Entry }
  /** The user stopped it, and the CLI does not have it. */
  | { kind: "stopped" }
  /** The CLI certainly does not have it, and it was not stopped. */
  | { kind: "not-delivered"; error: NotDelivered }
  /** Nothing shows whether the CLI has it. */
  | { kind: "unconfirmed" }
  /** The CLI refused it, or ended by itself because of it. */
  | { kind: "failed"; error: unknown };

/** How far the delivery of a message is, for a stop meanwhile. */
export interface HandOverState {
  /** The CLI has it, or was about to. */
  isSent: boolean;
  /** The user wants it stopped. */
  isStopped: boolean;
  /** The CLI has reported something of its turn. */
  hasWorked: boolean;
}

/** Dependencies of {@link handOver}. */
export interface HandOverHost {
  session: AgentSession;
  journal: AgentJournal;
  /** We end the process, so that its end is no fault of the message. */
  isClosing(): boolean;
  /** Whether the CLI's own record has a message that was handed over at `since`; `null` if it does not tell. */
  holdsPrompt(text: string, since: string): Promise<boolean | null>;
}

/**
 * Hands a message over and finds out whether the CLI has it: by the confirmation on the wire or, if the process was
 * ended before that came, by the CLI's own record. A message that the CLI does not have is taken out of the conversation
 * again, so that its next delivery does not show it twice.
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
    // Before the CLI gets it: after a crash, a message that is not in the transcript was certainly not sent.
    [entry] = await journal.append([toMessageEntry(delivery, kind)], true);
    if (state.isStopped) return { kind: "stopped" };
    if (host.isClosing()) throw new NotDelivered("The agent is being closed.");
    state.isSent = true;
    const signal = new AbortController().signal;
    const handed =
      kind === "prompt"
        ? session.prompt({ text, images, turn }, signal)
        : session.steer({ text, images }, signal);
    await Promise.race([handed, rejectAtEnd(session)]);
    return { kind: "confirmed", entry: entry! };
  } catch (error) {
    if (!entry || !state.isSent) return await withdrawn(entry, error);
    const isLost = error instanceof SessionGone || host.isClosing();
    if (isLost) return await lookUp(entry, error);
    return state.isStopped ? { kind: "stopped" } : { kind: "failed", error };
  }

  /** The process has gone before it confirmed the message. */
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

async function rejectAtEnd({ ended }: AgentSession): Promise<never> {
  const { message } = await ended;
  throw new SessionGone(message);
}
