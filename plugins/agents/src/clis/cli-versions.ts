import { stat } from "node:fs/promises";
import type { CliProcesses, CliToStart } from "./cli-processes.ts";

const VERSION_MS = 15_000;

/** Asks CLIs for their versions, once for each state of their files. */
export class CliVersions {
  readonly #processes: CliProcesses;
  readonly #known = new Map<string, Promise<string | null>>();

  constructor(processes: CliProcesses) {
    this.#processes = processes;
  }

  /** The version that a command says with these arguments, `null` if nothing was understood. */
  async of(
    cli: CliToStart,
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    const stamps = await Promise.all([file, ...args].map(stampOf));
    const key = JSON.stringify([file, args, env, stamps]);
    let version = this.#known.get(key);
    if (!version) {
      version = this.#ask(cli, file, args, env);
      this.#known.set(key, version);
    }
    return await version;
  }

  async #ask(
    cli: CliToStart,
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    try {
      const folder = await this.#processes.checkOwn(cli);
      const result = await folder.collect(file, args, {
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
