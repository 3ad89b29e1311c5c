import type { Clock } from "@gantry/plugin";
import { createSecret, hashSecret } from "./secret.ts";

/** A secret that was just made, before only its hash is left. */
export interface NewSecret {
  text: string;
  at: string;
}

export function newSecret(clock: Clock): NewSecret {
  return { text: createSecret(), at: clock.timestamp() };
}

/** What the record of an automation holds of its secret. */
export function toStoredSecret(secret: NewSecret | undefined): {
  secretHash: string | null;
  secretCreatedAt: string | null;
} {
  return {
    secretHash: secret ? hashSecret(secret.text) : null,
    secretCreatedAt: secret?.at ?? null,
  };
}
