import { mkdir } from "node:fs/promises";
import type {
  PathGuard,
  ProcessResult,
  Run,
  RunningProcess,
  RunOptions,
} from "@gantry/plugin";
import type { TerminalHost } from "@gantry/plugin-terminals/contract";
import type { TerminalProgram } from "../terminal-program.ts";
import { errors } from "../errors.ts";
import { LONG_DEADLINE_MS } from "../folder/folder-guard.ts";
import { checkAgentFolder } from "../folder/usable-folder.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { FolderTrust } from "../trust/folder-trust.ts";

/** Dependencies of {@link CliProcesses}. */
export interface CliProcessesHost {
  run: Run;
  trust: FolderTrust;
  guard: PathGuard;
  /** Terminals, if the plugin that has them is active. */
  terminals: () => TerminalHost | undefined;
  /** A folder of the plugin's own, made if it is missing: for what a CLI does in no project. */
  ownFolder: string;
}

/** A CLI, and what of a folder it would run. */
export interface CliToStart {
  /** Name in the configuration. */
  cli: string;
  trustPaths: readonly string[];
}

/** A screen of a CLI, to be shown in a terminal. */
export interface ShownScreen {
  name: string;
  program: TerminalProgram;
  /** Whose screen it is; `null` if it belongs to no agent. */
  agent: { id: string; name: string } | null;
}

type Environment = RunOptions["env"];

/** A folder that was checked for one CLI, and the only way to start that CLI. */
export interface CheckedFolder {
  /** It brings configuration that the CLI would run, and the user trusts that. */
  readonly trusted: boolean;
  /** Starts the CLI over pipes. */
  start(
    file: string,
    args: readonly string[],
    env?: Environment,
  ): Promise<RunningProcess>;
  /** Runs the CLI until it ends, and gives its output. */
  collect(
    file: string,
    args: readonly string[],
    options: Pick<RunOptions, "env" | "timeoutMs"> & { maxOutputBytes: number },
  ): Promise<ProcessResult>;
  /**
   * Starts it in a terminal.
   *
   * @throws AGENT_TERMINALS_MISSING
   */
  show(
    screen: ShownScreen,
    signal: AbortSignal,
  ): ReturnType<TerminalHost["open"]>;
}

/**
 * Starts the processes of CLIs, and nothing else does: each start needs a folder that was checked for trust right
 * before, so that no path can forget it.
 */
export class CliProcesses {
  readonly #host: CliProcessesHost;

  private constructor(host: CliProcessesHost) {
    this.#host = host;
  }

  static async create(host: CliProcessesHost): Promise<CliProcesses> {
    await mkdir(host.ownFolder, { recursive: true, mode: 0o700 });
    return new CliProcesses(host);
  }

  /**
   * Checks the folder of an agent for its CLI.
   *
   * @throws AGENT_FOLDER_INVALID, FOLDER_SILENT, AGENT_TRUST_REQUIRED, AGENT_CONFIG_TOO_LARGE
   */
  async check(
    agent: Pick<AgentRecord, "id" | "cwd" | "worktree">,
    { cli, trustPaths }: CliToStart,
  ): Promise<CheckedFolder> {
    const { id, cwd } = agent;
    const { guard, trust } = this.#host;
    await checkAgentFolder(guard, agent);
    const trusted = await guard.run(
      cwd,
      () => trust.check({ id, cli, cwd }, trustPaths),
      { deadlineMs: LONG_DEADLINE_MS },
    );
    return this.#toChecked(cli, cwd, trusted, id);
  }

  /**
   * Checks the plugin's own folder, where a CLI logs in or says its version: it brings nothing, but a folder above it
   * may.
   *
   * @throws AGENT_START_FAILED if one does
   */
  async checkOwn({ cli, trustPaths }: CliToStart): Promise<CheckedFolder> {
    const { trust, ownFolder } = this.#host;
    const found = await trust.find(ownFolder, trustPaths);
    if (found) {
      const [file] = found.found;
      const reason = `the daemon's home is in a folder whose configuration it would run (${file}); move the home or that file.`;
      throw errors.AGENT_START_FAILED({ cli, reason });
    }
    return this.#toChecked(cli, ownFolder, false);
  }

  #toChecked(
    cli: string,
    cwd: string,
    trusted: boolean,
    agentId?: string,
  ): CheckedFolder {
    const { run, terminals } = this.#host;
    const subject = agentId ? { type: "agent", id: agentId } : undefined;
    return {
      trusted,
      start: (file, args, env) =>
        run(file, args, { cwd, env, subject, isHost: true }),
      collect: (file, args, options) =>
        run.collect(file, args, { ...options, cwd, subject }),
      async show({ name, program: { file, args, env }, agent }, signal) {
        const host = terminals();
        if (!host) throw errors.AGENT_TERMINALS_MISSING();
        const program = { file, args, env };
        return await host.open({ name, cwd, cli, program, agent }, signal);
      },
    };
  }
}
