/**
 * Creates a random key, such as for a request that must have its effect once: 32 hexadecimal digits. Unlike
 * `crypto.randomUUID` it is there over plain HTTP too.
 */
export function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}
