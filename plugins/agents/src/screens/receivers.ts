import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createIdentifier, type Clock } from "@gantry/plugin";

/** A receiver that has made no request for this time counts as disconnected. */
const CONNECTED_MS = 15_000;
/** Maximum time that a request waits for a message. */
const POLL_TIMEOUT_MS = 10_000;
/** Time for a receiver to confirm a message. */
const CONFIRM_TIMEOUT_MS = 15_000;

/** A message for the receiver in the screen of a CLI. */
export interface ScreenMessage {
  nonce: string;
  text: string;
}

/** A receiver's answer to a message. */
export interface Confirmation {
  ok: boolean;
  reason: string | null;
}

interface Receiver {
  /** Time of its last request, by the monotonic clock. */
  lastSeenAt: number;
  /** Messages that it has not fetched yet. */
  outbox: ScreenMessage[];
  /** Callbacks that settle the deliveries in progress, by nonce. */
  pending: Map<string, (confirmation: Confirmation) => void>;
  /** Ends the wait of its open request. */
  release: () => void;
}

/** Creates a token for the receiver of one terminal, and the hash of it to store. */
export function createReceiverToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashOf(token).toString("hex") };
}

/** Whether a token matches a stored hash. Takes the same time if there is no hash. */
export function fitsToken(token: string, hash: string | undefined): boolean {
  const known = Buffer.from(hash ?? "0".repeat(64), "hex");
  return timingSafeEqual(hashOf(token), known) && hash !== undefined;
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The receivers inside the screens of CLIs. A receiver fetches messages by long polling and confirms each. */
export class Receivers {
  readonly #clock: Clock;
  readonly #known = new Map<string, Receiver>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the screen of an agent has a connected receiver. */
  isConnected(agentId: string): boolean {
    const lastSeenAt = this.#known.get(agentId)?.lastSeenAt;
    return (
      lastSeenAt !== undefined &&
      this.#clock.monotonic() - lastSeenAt < CONNECTED_MS
    );
  }

  /** Waits up to 10 s for messages to a receiver and returns them. A second call ends the wait of the first. */
  async hello(agentId: string, signal: AbortSignal): Promise<ScreenMessage[]> {
    const receiver = this.#of(agentId);
    receiver.release();
    receiver.lastSeenAt = this.#clock.monotonic();
    if (receiver.outbox.length === 0) {
      await new Promise<void>((resolve) => {
        const stop = this.#clock.after(POLL_TIMEOUT_MS, () =>
          receiver.release(),
        );
        receiver.release = () => {
          stop();
          receiver.release = () => undefined;
          resolve();
        };
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    // A disconnected receiver would lose the messages.
    if (signal.aborted) return [];
    receiver.lastSeenAt = this.#clock.monotonic();
    return receiver.outbox.splice(0);
  }

  /** Settles a message with the receiver's answer. Returns `false` if no delivery is waiting for it. */
  confirm(agentId: string, nonce: string, confirmation: Confirmation): boolean {
    const receiver = this.#known.get(agentId);
    const settle = receiver?.pending.get(nonce);
    if (!receiver || !settle) return false;
    receiver.lastSeenAt = this.#clock.monotonic();
    settle(confirmation);
    return true;
  }

  /** Delivers a message and returns the receiver's answer; `undefined` if no receiver fetched the message. */
  async deliver(
    agentId: string,
    text: string,
  ): Promise<Confirmation | undefined> {
    if (!this.isConnected(agentId)) return undefined;
    const receiver = this.#of(agentId);
    const message = { nonce: createIdentifier("msg"), text };
    return await new Promise((resolve) => {
      const settle = (confirmation: Confirmation | undefined) => {
        stop();
        receiver.pending.delete(message.nonce);
        resolve(confirmation);
      };
      const stop = this.#clock.after(CONFIRM_TIMEOUT_MS, () => {
        const at = receiver.outbox.indexOf(message);
        if (at === -1) return settle({ ok: false, reason: UNCONFIRMED });
        receiver.outbox.splice(at, 1);
        settle(undefined);
      });
      receiver.pending.set(message.nonce, settle);
      receiver.outbox.push(message);
      receiver.release();
    });
  }

  /** Removes the receiver of a screen that has ended, and settles its messages as not confirmed. */
  forget(agentId: string): void {
    const receiver = this.#known.get(agentId);
    if (!receiver) return;
    this.#known.delete(agentId);
    for (const settle of receiver.pending.values())
      settle({ ok: false, reason: UNCONFIRMED });
    receiver.release();
  }

  #of(agentId: string): Receiver {
    let receiver = this.#known.get(agentId);
    if (!receiver) {
      receiver = {
        lastSeenAt: -CONNECTED_MS,
        outbox: [],
        pending: new Map(),
        release: () => undefined,
      };
      this.#known.set(agentId, receiver);
    }
    return receiver;
  }
}

const UNCONFIRMED =
  "The CLI's screen received the message but did not confirm it; check the screen before you send it again.";
