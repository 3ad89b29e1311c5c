import { AgentStream } from "./agent-stream.ts";

/** The streams of all agents that somebody watched or that were at work. */
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

  /** Ends watching an agent that is forgotten. */
  remove(agentId: string): void {
    this.#streams.get(agentId)?.close();
    this.#streams.delete(agentId);
  }
}
