import { stat } from "node:fs/promises";
import type { Clock } from "@gantry/plugin";
import type { CliProcesses, CliToStart } from "./cli-processes.ts";

const VERSION_TIMEOUT_MS = 15_000;
/** Delay before a CLI that failed to print its version is run again. */
const RETRY_DELAY_MS = 60_000;

interface CachedVersion {
  version: Promise<string | null>;
  /** Time of the failure by the monotonic clock; `undefined` if the version is valid. */
  failedAt?: number;
}

/** Runs CLIs to get their versions, once for each state of their files. */
export class CliVersions {
  readonly #processes: CliProcesses;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #known = new Map<string, CachedVersion>();

  constructor(processes: CliProcesses, clock: Pick<Clock, "monotonic">) {
    this.#processes = processes;
    this.#clock = clock;
  }

  /** The version that a command prints with these arguments, `null` if it prints none within 15 s. */
  async of(
    cli: CliToStart,
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    const stamps = await Promise.all([file, ...args].map(stampOf));
    const key = JSON.stringify([file, args, env, stamps]);
    let cached = this.#known.get(key);
    if (!cached || this.#isStale(cached)) {
      cached = { version: Promise.resolve(null) };
      cached.version = this.#run(cli, file, args, env, cached);
      this.#known.set(key, cached);
    }
    return await cached.version;
  }

  #isStale({ failedAt }: CachedVersion): boolean {
    return (
      failedAt !== undefined &&
      this.#clock.monotonic() - failedAt >= RETRY_DELAY_MS
    );
  }

  async #run(
    cli: CliToStart,
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    cached: CachedVersion,
  ): Promise<string | null> {
    try {
      const folder = await this.#processes.checkOwn(cli);
      const { stdout, stderr, timedOut } = await folder.collect(file, args, {
        env,
        timeoutMs: VERSION_TIMEOUT_MS,
        maxOutputBytes: 4096,
      });
      if (timedOut) cached.failedAt = this.#clock.monotonic();
      const [version] =
        /\d+\.\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`) ?? [];
      return version ?? null;
    } catch {
      cached.failedAt = this.#clock.monotonic();
      return null;
    }
  }
}

async function stampOf(path: string): Promise<string> {
  return await stat(path).then(
    ({ mtimeMs, size }) => `${mtimeMs}:${size}`,
    () => "",
  );
}
