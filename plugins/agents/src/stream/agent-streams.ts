import { AgentStream } from "./agent-stream.ts";

/** The streams of the agents that clients watch or watched a while ago. */
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

  /** Sends an event to the watchers of an agent, if there are any. */
  publish(agentId: string, event: string, data: object): void {
    this.#streams.get(agentId)?.publish(event, data);
  }

  /** Drops what was kept for clients that lost their connection, if an agent has no watchers any more. */
  release(agentId: string): void {
    if (!this.#streams.get(agentId)?.isWatched) this.#streams.delete(agentId);
  }

  /** Ends watching an agent that is forgotten. */
  remove(agentId: string): void {
    this.#streams.get(agentId)?.close();
    this.#streams.delete(agentId);
  }
}
