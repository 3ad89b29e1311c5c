import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createIdentifier, type Clock } from "@gantry/plugin";

/** A receiver that has not called for so long counts as gone. */
const GOOD_FOR_MS = 15_000;
/** It is kept waiting for a message for so long. */
const POLL_MS = 10_000;
/** It has so long to confirm a message that it was handed. */
const CONFIRM_MS = 15_000;

/** A message on its way into the screen of a CLI. */
export interface ScreenMessage {
  nonce: string;
  text: string;
}

/** The result of a message that a receiver was handed. */
export interface Confirmation {
  ok: boolean;
  reason: string | null;
}

interface Receiver {
  heardAt: number;
  outbox: ScreenMessage[];
  handed: Map<string, (confirmation: Confirmation) => void>;
  /** Lets the one that waits for messages go. */
  release: () => void;
}

/** A token for one terminal, and what is stored of it. */
export function createReceiverToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashOf(token).toString("hex") };
}

/** Whether a token is the one that was made for a terminal. Takes the same time whether there is one or not. */
export function fitsToken(token: string, hash: string | undefined): boolean {
  const known = Buffer.from(hash ?? "0".repeat(64), "hex");
  return timingSafeEqual(hashOf(token), known) && hash !== undefined;
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The receivers inside the screens of CLIs: they ask for messages, and confirm each. */
export class Receivers {
  readonly #clock: Clock;
  readonly #known = new Map<string, Receiver>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the screen of an agent has a receiver that called recently. */
  isThere(agentId: string): boolean {
    const heardAt = this.#known.get(agentId)?.heardAt;
    return (
      heardAt !== undefined && this.#clock.monotonic() - heardAt < GOOD_FOR_MS
    );
  }

  /** A receiver says that it is there, and waits a while for messages. Of two that wait, the first goes empty. */
  async hello(agentId: string, signal: AbortSignal): Promise<ScreenMessage[]> {
    const receiver = this.#of(agentId);
    receiver.release();
    receiver.heardAt = this.#clock.monotonic();
    if (receiver.outbox.length === 0) {
      await new Promise<void>((resolve) => {
        const stop = this.#clock.after(POLL_MS, () => receiver.release());
        receiver.release = () => {
          stop();
          receiver.release = () => undefined;
          resolve();
        };
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    // A receiver that has left gets no messages.
    if (signal.aborted) return [];
    receiver.heardAt = this.#clock.monotonic();
    return receiver.outbox.splice(0);
  }

  /** A receiver confirms a message, or says why it could not take it. `false` if the delivery no longer waits for that. */
  confirm(agentId: string, nonce: string, confirmation: Confirmation): boolean {
    const receiver = this.#known.get(agentId);
    const settle = receiver?.handed.get(nonce);
    if (!receiver || !settle) return false;
    receiver.heardAt = this.#clock.monotonic();
    settle(confirmation);
    return true;
  }

  /** Hands a message over. `undefined` if it was certainly not: no receiver took it. */
  async deliver(
    agentId: string,
    text: string,
  ): Promise<Confirmation | undefined> {
    if (!this.isThere(agentId)) return undefined;
    const receiver = this.#of(agentId);
    const message = { nonce: createIdentifier("msg"), text };
    return await new Promise((resolve) => {
      const settle = (confirmation: Confirmation | undefined) => {
        stop();
        receiver.handed.delete(message.nonce);
        resolve(confirmation);
      };
      const stop = this.#clock.after(CONFIRM_MS, () => {
        const at = receiver.outbox.indexOf(message);
        if (at === -1) return settle({ ok: false, reason: UNCONFIRMED });
        receiver.outbox.splice(at, 1);
        settle(undefined);
      });
      receiver.handed.set(message.nonce, settle);
      receiver.outbox.push(message);
      receiver.release();
    });
  }

  /** The screen is gone. What it was handed is not confirmed any more. */
  forget(agentId: string): void {
    const receiver = this.#known.get(agentId);
    if (!receiver) return;
    this.#known.delete(agentId);
    for (const settle of receiver.handed.values())
      settle({ ok: false, reason: UNCONFIRMED });
    receiver.release();
  }

  #of(agentId: string): Receiver {
    let receiver = this.#known.get(agentId);
    if (!receiver) {
      receiver = {
        heardAt: -GOOD_FOR_MS,
        outbox: [],
        handed: new Map(),
        release: () => undefined,
      };
      this.#known.set(agentId, receiver);
    }
    return receiver;
  }
}

const UNCONFIRMED =
  "The CLI's screen was handed the message and did not confirm it; look there before you send it again.";
