import { stat } from "node:fs/promises";
import type { Run } from "@gantry/plugin";

const VERSION_MS = 15_000;

/** Asks CLIs for their versions, once for each state of their files. */
export class CliVersions {
  readonly #run: Run;
  readonly #known = new Map<string, Promise<string | null>>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** The version that a command says with these arguments, `null` if nothing was understood. */
  async of(
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    const stamps = await Promise.all([file, ...args].map(stampOf));
    const key = JSON.stringify([file, args, stamps]);
    let version = this.#known.get(key);
    if (!version) {
      version = this.#ask(file, args, env);
      this.#known.set(key, version);
    }
    return await version;
  }

  async #ask(
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    try {
      const result = await this.#run.collect(file, args, {
        env,
        timeoutMs: VERSION_MS,
        maxOutputBytes: 4096,
      });
      return (
        /\d+\.\d+\.\d+[\w.+-]*/.exec(
          `${result.stdout}\n${result.stderr}`,
        )?.[0] ?? null
      );
    } catch {
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
