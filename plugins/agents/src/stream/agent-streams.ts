import { AgentStream } from "./agent-stream.ts";

/** The event streams of agents that have or recently had clients. */
export class AgentStreams {
  readonly #streams = new Map<string, AgentStream>();

  of(agentId: string): AgentStream {
    let stream = this.#streams.get(agentId);
    if (!stream) {
      stream = new AgentStream();
      this.#streams.set(agentId, stream);
    }
    return stream;
  }

  /** Sends an event to the clients of an agent. */
  publish(agentId: string, event: string, data: object): void {
    this.#streams.get(agentId)?.publish(event, data);
  }

  /** Discards the kept events of an agent if it has no clients. */
  release(agentId: string): void {
    if (!this.#streams.get(agentId)?.isWatched) this.#streams.delete(agentId);
  }

  /** Closes the stream of an agent that is removed. */
  remove(agentId: string): void {
    this.#streams.get(agentId)?.close();
    this.#streams.delete(agentId);
  }
}
