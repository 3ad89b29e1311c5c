import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** Makes a secret of 32 random bytes, as 43 base64url characters. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Compares a secret with its stored hash, SHA-256 in base64url, in constant time, whatever the lengths. Without a stored hash it takes the same
 * time and says no, so that a client cannot tell a wrong secret from an unknown name.
 */
export function matchesHash(
  secret: string,
  storedHash: string | undefined,
): boolean {
  const digest = (text: string) => hash("sha256", text, "buffer");
  const equal = timingSafeEqual(
    digest(hash("sha256", secret, "base64url")),
    digest(storedHash ?? ""),
  );
  return equal && storedHash !== undefined;
}
