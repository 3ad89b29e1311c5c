import { createIdentifier, type Clock, type Run } from "@gantry/plugin";
import type { AgentGate } from "../agents/agent-gate.ts";
import type { PromptContext } from "../conversation/prompt-context.ts";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import { AgentPrograms } from "./agent-programs.ts";
import { MergedOutput } from "./merged-output.ts";

/** Dependencies of {@link ShellCommands}. */
export interface ShellCommandsHost {
  gate: AgentGate;
  run: Run;
  clock: Clock;
  transcripts: Transcripts;
  streams: AgentStreams;
  context: PromptContext;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** How a command ended. */
export interface ShellResult {
  /** Both streams, in the order in which they came. Of a long output, the end. */
  output: string;
  /** `null` if it was ended from outside. */
  exitCode: number | null;
  truncated: boolean;
  timedOut: boolean;
}

const MAX_OUTPUT = 256 * 1024;
const LAST_OUTPUT_MS = 1_000;
/** The CLI gets so much of an output with the next prompt. */
const MAX_TOLD = 32 * 1024;

/** Runs commands of the user in the folders of agents, whether those are open or not. */
export class ShellCommands {
  readonly #host: ShellCommandsHost;
  readonly #programs: AgentPrograms;

  constructor(host: ShellCommandsHost) {
    this.#host = host;
    this.#programs = new AgentPrograms(host.gate);
  }

  /**
   * Runs a command to its end. It continues when its caller has left: its output is in the conversation, and goes to the CLI with
   * the next prompt.
   *
   * @throws AGENT_TOOL_MISSING if there is no shell, AGENT_NOT_FOUND if the agent is deleted meanwhile
   */
  async run(
    { id, cwd }: AgentRecord,
    command: string,
    timeoutMs: number,
  ): Promise<ShellResult> {
    const { run, clock, signal } = this.#host;
    const shell = (await run.find("bash")) ?? (await run.find("sh"));
    if (shell === undefined) throw errors.AGENT_TOOL_MISSING({ tool: "bash" });
    return await this.#programs.run(id, async (abort) => {
      const child = await run(shell, ["-c", command], {
        cwd,
        subject: { type: "agent", id },
        signal: AbortSignal.any([abort, signal]),
        timeoutMs,
      });
      child.stdin.end();
      const output = new MergedOutput(clock, MAX_OUTPUT);
      output.follow(child.stdout);
      output.follow(child.stderr);
      const { code, timedOut } = await child.exited;
      await output.ended(LAST_OUTPUT_MS);
      const result = {
        output: output.text,
        exitCode: abort.aborted ? null : code,
        truncated: output.isTruncated,
        timedOut,
      };
      await this.#keep(id, command, result);
      return result;
    });
  }

  /** How many commands run for an agent. */
  count(agentId: string): number {
    return this.#programs.count(agentId);
  }

  /** Ends what runs for an agent, with everything that it started. Gives whether there was anything. */
  abort(agentId: string): boolean {
    return this.#programs.abort(agentId);
  }

  /** As {@link abort}, and resolves when nothing runs any more. */
  end(agentId: string): Promise<void> {
    return this.#programs.end(agentId);
  }

  async #keep(
    agentId: string,
    command: string,
    result: ShellResult,
  ): Promise<void> {
    const { transcripts, streams, context } = this.#host;
    const stored = await transcripts.of(agentId).append([
      {
        turnId: null,
        role: "user",
        kind: "tool",
        text: result.output,
        ...(result.truncated ? { truncated: true as const } : {}),
        tool: {
          callId: createIdentifier("cal"),
          name: "bash",
          title: command,
          input: JSON.stringify({ command }),
          failed: result.exitCode !== 0,
        },
      },
    ]);
    for (const entry of stored) streams.publish(agentId, "entry", entry);
    await context.add(agentId, toContext(command, result));
  }
}

function toContext(
  command: string,
  { output, exitCode, truncated }: ShellResult,
): string {
  const isCut = truncated || output.length > MAX_TOLD;
  const end = exitCode === null ? "was stopped" : `ended with ${exitCode}`;
  return [
    `I ran this command in the working folder; it ${end}:`,
    `<command>\n${command}\n</command>`,
    `<output${isCut ? ' note="only its end"' : ""}>\n${output.slice(-MAX_TOLD)}\n</output>`,
  ].join("\n");
}
