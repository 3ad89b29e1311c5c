import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** How long `tar` and `zstd` take for a folder, in ms. */
export interface TarTimes {
  pack: number;
  unpack: number;
}

/**
 * Packs a folder and unpacks it again.
 *
 * @param into Folder for the archive and for what was in it.
 * @returns `undefined` where the programs are not there
 */
export async function measureTar(
  folder: string,
  into: string,
  signal: AbortSignal,
): Promise<TarTimes | undefined> {
  const archive = join(into, "peer.tar.zst");
  const target = join(into, "unpacked");
  const time = async (...args: string[]) => {
    const begin = performance.now();
    await execute("tar", ["-I", "zstd -T1 -3", "-f", archive, ...args], {
      signal,
    });
    return performance.now() - begin;
  };
  try {
    await execute("zstd", ["--version"], { signal });
    const pack = await time("-c", "-C", folder, ".");
    const unpack = await time("-x", `--one-top-level=${target}`);
    return { pack, unpack };
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
