import { stat } from "node:fs/promises";
import type { Clock } from "@gantry/plugin";
import type { CliProcesses, CliToStart } from "./cli-processes.ts";

const VERSION_MS = 15_000;
/** A CLI that did not say its version in time is not asked again before. */
const RETRY_MS = 60_000;

interface Asked {
  version: Promise<string | null>;
  /** By the monotonic clock; `undefined` while the answer holds. */
  failedAt?: number;
}

/** Asks CLIs for their versions, once for each state of their files. */
export class CliVersions {
  readonly #processes: CliProcesses;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #known = new Map<string, Asked>();

  constructor(processes: CliProcesses, clock: Pick<Clock, "monotonic">) {
    this.#processes = processes;
    this.#clock = clock;
  }

  /** The version that a command says with these arguments, `null` if it says none or none in time. */
  async of(
    cli: CliToStart,
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    const stamps = await Promise.all([file, ...args].map(stampOf));
    const key = JSON.stringify([file, args, env, stamps]);
    let asked = this.#known.get(key);
    if (!asked || this.#isStale(asked)) {
      asked = { version: Promise.resolve(null) };
      asked.version = this.#ask(cli, file, args, env, asked);
      this.#known.set(key, asked);
    }
    return await asked.version;
  }

  #isStale({ failedAt }: Asked): boolean {
    return (
      failedAt !== undefined && this.#clock.monotonic() - failedAt >= RETRY_MS
    );
  }

  async #ask(
    cli: CliToStart,
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    asked: Asked,
  ): Promise<string | null> {
    try {
      const folder = await this.#processes.checkOwn(cli);
      const { stdout, stderr, timedOut } = await folder.collect(file, args, {
        env,
        timeoutMs: VERSION_MS,
        maxOutputBytes: 4096,
      });
      if (timedOut) asked.failedAt = this.#clock.monotonic();
      const [version] =
        /\d+\.\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`) ?? [];
      return version ?? null;
    } catch {
      asked.failedAt = this.#clock.monotonic();
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
