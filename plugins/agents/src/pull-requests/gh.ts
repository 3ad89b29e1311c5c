import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock, Run } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { MergedOutput } from "../shell/merged-output.ts";

/** Room for a list of pull requests with all their checks. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_ERROR_BYTES = 16 * 1024;
/** Time for the output to arrive after the end of the program. */
const DRAIN_MS = 1000;

/** Dependencies of {@link Gh}. */
interface GhHost {
  run: Run;
  clock: Clock;
  /** An empty one to run `gh` in: in a repository it would start git, which runs what that names. */
  folder: string;
}

/** What `gh` answered. */
export interface GhResult {
  code: number | null;
  stdout: string;
  stderr: string;
  /** True if a part of stdout is missing. */
  truncated: boolean;
}

/** Runs the user's own `gh`. */
export class Gh {
  readonly #host: GhHost;

  private constructor(host: GhHost) {
    this.#host = host;
  }

  /** @param folder One of the plugin's own. */
  static async create(
    { run, clock }: Pick<GhHost, "run" | "clock">,
    folder: string,
  ): Promise<Gh> {
    const empty = join(folder, "empty");
    await mkdir(empty, { recursive: true, mode: 0o700 });
    return new Gh({ run, clock, folder: empty });
  }

  async isInstalled(): Promise<boolean> {
    return (await this.#host.run.find("gh")) !== undefined;
  }

  /**
   * Runs it to its end.
   *
   * @throws AGENT_TOOL_MISSING without `gh`, TOOL_TIMEOUT
   */
  async ask(
    args: readonly string[],
    options: { timeoutMs: number; input?: string },
  ): Promise<GhResult> {
    const { timeoutMs } = options;
    const result = await this.#host.run.collect(await this.#find(), args, {
      ...this.#surroundings(),
      ...options,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
    if (result.timedOut) throw errors.TOOL_TIMEOUT({ tool: "gh", timeoutMs });
    return result;
  }

  /**
   * Runs it to its end and keeps the end of what it prints, however much that is.
   *
   * @throws AGENT_TOOL_MISSING without `gh`, TOOL_TIMEOUT
   */
  async askForEnd(
    args: readonly string[],
    { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number },
  ): Promise<GhResult> {
    const { run, clock } = this.#host;
    const stdout = new MergedOutput(clock, maxBytes);
    const stderr = new MergedOutput(clock, MAX_ERROR_BYTES);
    const program = await run(await this.#find(), args, {
      ...this.#surroundings(),
      timeoutMs,
    });
    stdout.follow(program.stdout);
    stderr.follow(program.stderr);
    program.stdin.end();
    const { code, timedOut } = await program.exited;
    if (timedOut) throw errors.TOOL_TIMEOUT({ tool: "gh", timeoutMs });
    await Promise.all([stdout.ended(DRAIN_MS), stderr.ended(DRAIN_MS)]);
    return {
      code,
      stdout: stdout.text,
      stderr: stderr.text,
      truncated: stdout.isTruncated,
    };
  }

  async #find(): Promise<string> {
    const program = await this.#host.run.find("gh");
    if (program === undefined) throw errors.AGENT_TOOL_MISSING({ tool: "gh" });
    return program;
  }

  #surroundings() {
    const { folder } = this.#host;
    return {
      cwd: folder,
      env: {
        GH_PROMPT_DISABLED: "1",
        GH_NO_UPDATE_NOTIFIER: "1",
        NO_COLOR: "1",
        CLICOLOR_FORCE: undefined,
        GH_FORCE_TTY: undefined,
        GIT_DIR: undefined,
        // The folder may be below a repository, such as one of the user's settings in the home directory.
        GIT_CEILING_DIRECTORIES: dirname(folder),
      },
    };
  }
}

/** Why GitHub did not answer `gh`, in a sentence with the way out; `undefined` for another fault. */
export function explainBlocked(stderr: string): string | undefined {
  if (/auth login|not logged in|authentication|HTTP 401/i.test(stderr))
    return "gh is not logged in; run `gh auth login` on the daemon's machine.";
  if (/could not resolve to a repository|HTTP 40[34]/i.test(stderr))
    return "GitHub does not show this repository to the user of gh.";
  return undefined;
}

/** What `gh` printed as JSON; `undefined` for anything else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
