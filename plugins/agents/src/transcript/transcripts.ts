import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Log } from "@gantry/plugin";
import type { AgentGate } from "../agents/agent-gate.ts";
import { Transcript } from "./transcript.ts";

/** The transcripts of all agents, one file each. */
export class Transcripts {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #gate: AgentGate;
  readonly #known = new Map<string, Transcript>();

  private constructor(folder: string, clock: Clock, log: Log, gate: AgentGate) {
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#gate = gate;
  }

  /** Creates the folder of the transcripts if it is missing, and removes temporary files of an earlier daemon. */
  static async create(
    folder: string,
    clock: Clock,
    log: Log,
    gate: AgentGate,
  ): Promise<Transcripts> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Copies of conversations that a crash interrupted.
    for (const name of await readdir(folder))
      if (name.includes(".jsonl.tmp_"))
        await rm(join(folder, name), { force: true });
    return new Transcripts(folder, clock, log, gate);
  }

  /**
   * The transcript of an agent; always the same object, since its appends must be serialized. The id becomes a file name,
   * so it must be validated before.
   */
  of(agentId: string): Transcript {
    let transcript = this.#known.get(agentId);
    if (!transcript) {
      transcript = new Transcript(
        join(this.#folder, `${agentId}.jsonl`),
        this.#clock,
        this.#log,
        (work) => this.#gate.write(agentId, work),
      );
      this.#known.set(agentId, transcript);
    }
    return transcript;
  }

  /** Closes the transcript of an agent that is deleted, and deletes the file if `isRemoved`. */
  async forget(agentId: string, isRemoved: boolean): Promise<void> {
    const transcript = this.of(agentId);
    await (isRemoved ? transcript.remove() : transcript.close());
    this.#known.delete(agentId);
  }

  /** Closes all files; an append opens its file again. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#known.values()].map((transcript) => transcript.close()),
    );
  }
}
