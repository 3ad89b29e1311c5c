/**
 * Gives the memory of a large buffer back at once, with all that shares it. V8 would let dozens of megabytes of such buffers come
 * together before it collects them.
 *
 * @param bytes Its memory must not be shared or still be in use, in another thread either. That of a small one is
 *   shared by many, and left alone.
 */
export function releaseMemory({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize)
    buffer.transfer(0);
}
