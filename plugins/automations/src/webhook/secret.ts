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
  /** From now on no call passes with the secret that has this hash, also if a restore brings it back. */
  revoke(hash: string, at: string): void;
  /** When a secret was revoked; `null` if it was not. */
  revokedAt(hash: string | null): string | null;
  /** Whether the webhook has a secret that was revoked: no call passes until a new one is made. */
  needsNew(automationId: string): boolean;
  /** Whether this is the secret of the automation's webhook, and not revoked. Takes the same time whether there is one or not. */
  fits(automationId: string, secret: string): boolean;
}

/** @param revoked Hashes of secrets that were revoked on this machine, and when. */
export function createHookSecrets(revoked: Map<string, string>): HookSecrets {
  const hashes = new Map<string, Buffer>();
  const needsNew = (automationId: string) =>
    revoked.has(hashes.get(automationId)?.toString("hex") ?? "");
  // Compared with where there is no webhook; the hash of a random value that is not kept.
  const nobodys = Buffer.from(hashSecret(createSecret()), "hex");
  return {
    needsNew,
    revoke: (hash, at) => void revoked.set(hash, at),
    revokedAt: (hash) => (hash === null ? null : (revoked.get(hash) ?? null)),
    set(automationId, hash) {
      if (hash === null) hashes.delete(automationId);
      else hashes.set(automationId, Buffer.from(hash, "hex"));
    },
    fits(automationId, secret) {
      const known = hashes.get(automationId);
      const given = createHash("sha256").update(secret).digest();
      const isEqual = timingSafeEqual(given, known ?? nobodys);
      return isEqual && known !== undefined && !needsNew(automationId);
    },
  };
}
