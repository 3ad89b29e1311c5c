import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "@gantry/plugin";

/** How long a confirmation holds. */
export const CONFIRMATION_MS = 60_000;

/** More than these are not open at once; the oldest is dropped. */
const MAX_OPEN = 200;

/** What a confirmation is bound to. */
export interface Confirmed {
  snippetId: string;
  terminalId: string;
  /** Of the process in the terminal, so that it does not hold for what came after it. */
  incarnation: string;
  text: string;
}

/** The confirmations that are open. They are kept in memory: none outlives the daemon. */
export interface Confirmations {
  /** Opens one. It holds for 60 seconds and for one use. */
  open(subject: Confirmed): { confirmation: string; expiresAt: string };
  /** Uses one up, whether it fits or not. Tells whether it was made for just this, and in time. */
  take(confirmation: string, subject: Confirmed): boolean;
}

/** Makes a plugin's confirmations. */
export function createConfirmations(clock: Clock): Confirmations {
  const open = new Map<string, { digest: string; endsAt: number }>();

  function sweep(): void {
    for (const [key, { endsAt }] of open)
      if (endsAt <= clock.monotonic() || open.size >= MAX_OPEN)
        open.delete(key);
      else break;
  }

  return {
    open(subject) {
      sweep();
      const confirmation = randomBytes(24).toString("base64url");
      const endsAt = clock.monotonic() + CONFIRMATION_MS;
      open.set(confirmation, { digest: toDigest(subject), endsAt });
      const expiresAt = new Date(clock.now() + CONFIRMATION_MS).toISOString();
      return { confirmation, expiresAt };
    },
    take(confirmation, subject) {
      const found = open.get(confirmation);
      open.delete(confirmation);
      return (
        found !== undefined &&
        found.endsAt > clock.monotonic() &&
        found.digest === toDigest(subject)
      );
    },
  };
}

function toDigest(subject: Confirmed): string {
  const { snippetId, terminalId, incarnation, text } = subject;
  return createHash("sha256")
    .update(JSON.stringify([snippetId, terminalId, incarnation, text]))
    .digest("base64");
}
