import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Makes a webhook's secret: 32 random bytes in text. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a secret. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** The secrets of all webhooks, as hashes. They are in memory, so that finding one takes no longer than finding none. */
export interface HookSecrets {
  /** Sets what is stored of a webhook's secret; `null` for no webhook. */
  set(automationId: string, hash: string | null): void;
  /** Whether this is the secret of the automation's webhook. Takes the same time whether there is one or not. */
  fits(automationId: string, secret: string): boolean;
}

export function createHookSecrets(): HookSecrets {
  const hashes = new Map<string, Buffer>();
  // Compared with where there is no webhook: the hash of an unknown value, so that the timing is equal.
  const unknown = Buffer.from(hashSecret(createSecret()), "hex");
  return {
    set(automationId, hash) {
      if (hash === null) hashes.delete(automationId);
      else hashes.set(automationId, Buffer.from(hash, "hex"));
    },
    fits(automationId, secret) {
      const known = hashes.get(automationId);
      const given = createHash("sha256").update(secret).digest();
      const isEqual = timingSafeEqual(given, known ?? unknown);
      return isEqual && known !== undefined;
    },
  };
}
