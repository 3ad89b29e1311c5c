/**
 * Gives the memory of a large buffer back at once, with all that shares it. V8 would let dozens of megabytes of such buffers come
 * together before it collects them.
 *
 * @param bytes No other code, in other threads either, may hold or use a part of its memory. A small buffer shares its memory with
 *   others, and is left as it is.
 */
export function releaseMemory({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize)
    buffer.transfer(0);
}
