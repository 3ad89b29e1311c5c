import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const KEY_BYTES = 32;

/** An agent's session that a key belongs to. */
export interface KeyedSession {
  agentId: string;
  /** Aborts when the key is revoked. */
  signal: AbortSignal;
}

/** Keys of sessions. Only their digests are stored, so that memory contains no usable key. */
export class SessionKeys {
  readonly #sessions: { digest: Buffer; session: KeyedSession }[] = [];

  /** Issues a key that is valid until `signal` aborts. */
  issue(agentId: string, signal: AbortSignal): string {
    const key = randomBytes(KEY_BYTES).toString("base64url");
    const entry = { digest: toDigest(key), session: { agentId, signal } };
    if (signal.aborted) return key;
    this.#sessions.push(entry);
    signal.addEventListener(
      "abort",
      () => this.#sessions.splice(this.#sessions.indexOf(entry), 1),
      { once: true },
    );
    return key;
  }

  /** Whether an agent has a session with a valid key. */
  has(agentId: string): boolean {
    return this.#sessions.some((one) => one.session.agentId === agentId);
  }

  /** The session of a key; `undefined` for a key that was not issued or was revoked. */
  find(key: string): KeyedSession | undefined {
    const digest = toDigest(key);
    let found: KeyedSession | undefined;
    // All digests are compared, so that the time does not reveal which one matched.
    for (const entry of this.#sessions)
      if (timingSafeEqual(entry.digest, digest)) found = entry.session;
    return found;
  }
}

function toDigest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
