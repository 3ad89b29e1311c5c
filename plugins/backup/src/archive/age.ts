import { randomBytes } from "node:crypto";
import {
  CHUNK_BYTES,
  PAYLOAD_NONCE_BYTES,
  PayloadCipher,
  SEALED_CHUNK_BYTES,
} from "./age-payload.ts";
import { ByteQueue } from "./byte-queue.ts";

/** Longest header of a file with one recipient, several times over. */
const MAX_HEADER_BYTES = 4096;
/** Begins the last line of a header. */
const LAST_LINE = "\n--- ";
/** The payload of an empty file. */
const EMPTY_PAYLOAD_BYTES = PAYLOAD_NONCE_BYTES + 16;

/** Makes age files for one recipient. */
export interface Encryption {
  encryptStream(
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncGenerator<Buffer>;
}

/** Opens age files. Both throw for a file that is not whole, or is for another key. */
export interface Decryption {
  decrypt(content: Buffer): Promise<Buffer>;
  decryptStream(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer>;
}

/** @param recipient `age1…` */
export function createEncryption(recipient: string): Encryption {
  /** A key for one file, and the header that gives it to the recipient. */
  async function begin() {
    const { Encrypter } = await import("age-encryption");
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    let fileKey: Uint8Array | undefined;
    // Adds nothing to the header; it receives the key that the payload is encrypted with.
    encrypter.addRecipient({
      wrapFileKey(key) {
        fileKey = key;
        return [];
      },
    });
    const empty = await encrypter.encrypt(new Uint8Array());
    if (!fileKey) throw new Error("The header was made without a key.");
    const nonce = randomBytes(PAYLOAD_NONCE_BYTES);
    return {
      start: [empty.subarray(0, empty.length - EMPTY_PAYLOAD_BYTES), nonce],
      cipher: new PayloadCipher(fileKey, nonce),
    };
  }

  return {
    async *encryptStream(source) {
      const { start, cipher } = await begin();
      yield Buffer.concat(start);
      for await (const [chunk, isLast] of inChunks(source, CHUNK_BYTES))
        yield cipher.seal(chunk, isLast);
    },
  };
}

/** @param identity `AGE-SECRET-KEY-1…` */
export function createDecryption(identity: string): Decryption {
  async function begin(
    header: Uint8Array,
    nonce: Uint8Array,
  ): Promise<PayloadCipher> {
    const { Decrypter } = await import("age-encryption");
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    const fileKey = await decrypter.decryptHeader(Uint8Array.from(header));
    return new PayloadCipher(fileKey, nonce);
  }

  return {
    async decrypt(content) {
      const size = headerSize(content);
      let at = size + PAYLOAD_NONCE_BYTES;
      const cipher = await begin(
        content.subarray(0, size),
        content.subarray(size, at),
      );
      const opened = Buffer.allocUnsafe(content.length - at);
      let length = 0;
      for (let isLast = false; !isLast; at += SEALED_CHUNK_BYTES) {
        const sealed = content.subarray(at, at + SEALED_CHUNK_BYTES);
        isLast = at + SEALED_CHUNK_BYTES >= content.length;
        const chunk = cipher.open(sealed, isLast);
        opened.set(chunk, length);
        length += chunk.length;
      }
      return opened.subarray(0, length);
    },
    async *decryptStream(source) {
      const chunks = source[Symbol.asyncIterator]();
      const { beginning, size } = await readHeader(chunks);
      const payload = size + PAYLOAD_NONCE_BYTES;
      const cipher = await begin(
        beginning.subarray(0, size),
        beginning.subarray(size, payload),
      );
      async function* rest() {
        yield beginning.subarray(payload);
        yield* { [Symbol.asyncIterator]: () => chunks };
      }
      for await (const [chunk, isLast] of inChunks(rest(), SEALED_CHUNK_BYTES))
        yield cipher.open(chunk, isLast);
    },
  };
}

/** Reads until the header and the nonce are there. */
async function readHeader(
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ beginning: Buffer; size: number }> {
  let beginning: Buffer = Buffer.alloc(0);
  for (;;) {
    const next = await chunks.next();
    if (!next.done) beginning = Buffer.concat([beginning, next.value]);
    const isEnough = beginning.length >= MAX_HEADER_BYTES + PAYLOAD_NONCE_BYTES;
    if (next.done || isEnough)
      return { beginning, size: headerSize(beginning) };
  }
}

function headerSize(beginning: Buffer): number {
  const lastLine = beginning
    .subarray(0, MAX_HEADER_BYTES)
    .indexOf(LAST_LINE, 0, "latin1");
  const end =
    lastLine < 0 ? -1 : beginning.indexOf(0x0a, lastLine + LAST_LINE.length);
  if (end < 0 || end + 1 + PAYLOAD_NONCE_BYTES > beginning.length)
    throw new Error("It is no whole age file.");
  return end + 1;
}

/** Cuts a stream into chunks of one size and a last one, which is empty only if the stream is. */
async function* inChunks(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<[chunk: Buffer, isLast: boolean]> {
  const queue = new ByteQueue();
  for await (const part of source) {
    queue.push(part);
    while (queue.length > size) yield [queue.take(size), false];
  }
  yield [queue.take(queue.length), true];
}
