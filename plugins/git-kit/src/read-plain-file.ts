import { constants } from "node:fs";
import { open } from "node:fs/promises";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * Reads a file of an untrusted repository. Neither follows a link nor blocks on a pipe.
 *
 * @throws an error with `code`: `ELOOP` for a link, `EINVAL` for another kind of file, `EFBIG` for more than
 *   `maxBytes`, or the code of the failed system call
 */
export async function readPlainFile(
  file: string,
  maxBytes: number,
): Promise<Buffer> {
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw toError("EINVAL");
    if (stats.size > maxBytes) throw toError("EFBIG");
    const bytes = Buffer.alloc(stats.size);
    const { bytesRead } = await handle.read(bytes, 0, stats.size, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function toError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
