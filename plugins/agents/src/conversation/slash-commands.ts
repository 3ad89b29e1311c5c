import type { Log } from "@gantry/plugin";
import type { AgentNotes } from "../agents/agent-notes.ts";
import type { SlashSource } from "../contract.ts";
import type { SlashCommand } from "../records/notes-record.ts";

/** A source that takes longer is left out of the list. */
const SOURCE_TIMEOUT_MS = 2000;

/** Completions after a slash: the commands that the CLI reported last, and the items that plugins offer. */
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

  /** The commands of the CLI, then the items of plugins. */
  async list(agentId: string, signal: AbortSignal): Promise<SlashCommand[]> {
    const { commands } = await this.#notes.of(agentId);
    const limit = AbortSignal.any([
      signal,
      AbortSignal.timeout(SOURCE_TIMEOUT_MS),
    ]);
    const others = await Promise.all(
      [...this.#sources].map((source) => this.#listOf(source, agentId, limit)),
    );
    return [...commands, ...others.flat()];
  }

  /** Whether the CLI is known not to have a command. Always `false` before its first start, when nothing is known. */
  async lacks(agentId: string, name: string): Promise<boolean> {
    const { commands } = await this.#notes.of(agentId);
    return (
      commands.length > 0 && !commands.some((command) => command.name === name)
    );
  }

  /** The items of a source; none if it fails, so that the others are still listed. */
  async #listOf(
    source: SlashSource,
    agentId: string,
    signal: AbortSignal,
  ): Promise<SlashCommand[]> {
    try {
      return (await source.list({ agentId }, signal)).items;
    } catch (error) {
      this.#log.warn("The slash items of a plugin could not be listed", {
        error: String(error),
      });
      return [];
    }
  }
}
