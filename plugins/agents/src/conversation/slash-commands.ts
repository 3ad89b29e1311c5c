import type { Log } from "@gantry/plugin";
import type { AgentNotes } from "../agents/agent-notes.ts";
import type { SlashSource } from "../contract.ts";
import type { SlashCommand } from "../records/notes-record.ts";

/** A source that takes longer is left out of a list. */
const SOURCE_MS = 2000;

/** What can be typed after a slash: what the CLI said last, and what plugins offer. */
export class SlashCommands {
  readonly #notes: AgentNotes;
  readonly #log: Log;
  readonly #sources = new Set<SlashSource>();

  constructor(notes: AgentNotes, log: Log) {
    this.#notes = notes;
    this.#log = log;
  }

  /** Adds a source until the signal aborts. */
  add(source: SlashSource, until: AbortSignal): void {
    until.throwIfAborted();
    this.#sources.add(source);
    until.addEventListener("abort", () => this.#sources.delete(source), {
      once: true,
    });
  }

  /** Commands of the CLI first, then those of plugins. */
  async list(agentId: string, signal: AbortSignal): Promise<SlashCommand[]> {
    const { commands } = await this.#notes.of(agentId);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(SOURCE_MS)]);
    const others = await Promise.all(
      [...this.#sources].map((source) => this.#listOf(source, agentId, limit)),
    );
    return [...commands, ...others.flat()];
  }

  /** Whether the CLI is known not to have a command; before its first start nothing is known. */
  async lacks(agentId: string, name: string): Promise<boolean> {
    const { commands } = await this.#notes.of(agentId);
    return (
      commands.length > 0 && !commands.some((command) => command.name === name)
    );
  }

  /** A source that fails costs itself alone. */
  async #listOf(
    source: SlashSource,
    agentId: string,
    signal: AbortSignal,
  ): Promise<SlashCommand[]> {
    try {
      return (await source.list({ agentId }, signal)).items;
    } catch (error) {
      this.#log.warn("What a plugin offers after a slash is missing", {
        error: String(error),
      });
      return [];
    }
  }
}
