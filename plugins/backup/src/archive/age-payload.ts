import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { releaseMemory } from "./release-memory.ts";

const ALGORITHM = "chacha20-poly1305";
const TAG_BYTES = 16;

/** What the payload of an age file is encrypted in. */
export const CHUNK_BYTES = 64 * 1024;
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;
export const PAYLOAD_NONCE_BYTES = 16;

/**
 * The payload of an age file (age-encryption.org/v1, "Payload"), in the cipher of the system: that of `age-encryption` is in
 * JavaScript and takes thirty times as long, on the thread that also answers requests.
 */
export class PayloadCipher {
  readonly #key: Buffer;
  /** Eleven bytes that count chunks, and one that marks the last. */
  readonly #nonce = Buffer.alloc(12);

  /** @param nonce The 16 bytes before the payload. */
  constructor(fileKey: Uint8Array, nonce: Uint8Array) {
    this.#key = Buffer.from(hkdfSync("sha256", fileKey, nonce, "payload", 32));
  }

  /** Encrypts the next chunk. All but the last have {@link CHUNK_BYTES}. */
  seal(chunk: Uint8Array, isLast: boolean): Buffer {
    const cipher = createCipheriv(ALGORITHM, this.#key, this.#next(isLast), {
      authTagLength: TAG_BYTES,
    });
    const encrypted = cipher.update(chunk);
    cipher.final();
    const sealed = Buffer.concat([encrypted, cipher.getAuthTag()]);
    releaseMemory(encrypted);
    return sealed;
  }

  /** Decrypts the next chunk. Throws for one that was changed, cut or is not the next. */
  open(sealed: Uint8Array, isLast: boolean): Buffer {
    const isFirst = this.#nonce.every((byte) => byte === 0);
    const length = sealed.length - TAG_BYTES;
    if (length < 0 || (length === 0 && !isFirst))
      throw new Error("A chunk is too short.");
    const decipher = createDecipheriv(
      ALGORITHM,
      this.#key,
      this.#next(isLast),
      { authTagLength: TAG_BYTES },
    );
    decipher.setAuthTag(sealed.subarray(length));
    const chunk = decipher.update(sealed.subarray(0, length));
    decipher.final();
    return chunk;
  }

  #next(isLast: boolean): Buffer {
    const nonce = Buffer.from(this.#nonce);
    if (isLast) nonce[11] = 1;
    for (let index = 10; index >= 0; index--) {
      const byte = ((this.#nonce[index] as number) + 1) & 0xff;
      this.#nonce[index] = byte;
      if (byte !== 0) break;
    }
    return nonce;
  }
}
