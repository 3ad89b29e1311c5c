import type { AgentServers } from "@gantry/plugin-agents/contract";
import type { Policies } from "../records/policies.ts";
import { createFreshReader } from "./create-fresh-reader.ts";
import { isThisMachine, normalizeHost } from "./site-list.ts";

/** Dependencies of {@link OwnServers}. */
export interface OwnServersOptions {
  policies: Pick<Policies, "get">;
  /** Finds the servers; without it no agent has any. */
  servers(): AgentServers | undefined;
  signal: AbortSignal;
  /** Called when the servers could not be read; the agent then has none. */
  onFailed(agentId: string, error: unknown): void;
}

/** The servers that agents run, for those whose policy allows them to open their own. */
export class OwnServers {
  readonly #options: OwnServersOptions;
  readonly #ports = new Map<string, readonly number[]>();
  readonly #readers = new Map<string, () => Promise<void>>();

  constructor(options: OwnServersOptions) {
    this.#options = options;
  }

  /** The servers at the last {@link refresh}, as a policy lists sites. None if the policy does not allow them. */
  sitesOf(agentId: string): string[] {
    if (!this.#isAllowed(agentId)) return [];
    const ports = this.#ports.get(agentId) ?? [];
    return ports.map((port) => `localhost:${port}`);
  }

  /**
   * Reads the servers of an agent again, before a host is judged. Never rejects.
   *
   * @returns `undefined` if the judgement does not depend on them: for other hosts, and agents that may not open their own
   */
  refresh(agentId: string, host: string): Promise<void> | undefined {
    if (!this.#isAllowed(agentId) || !isThisMachine(normalizeHost(host)))
      return undefined;
    let read = this.#readers.get(agentId);
    if (!read) {
      read = createFreshReader(() => this.#read(agentId));
      this.#readers.set(agentId, read);
    }
    return read();
  }

  forget(agentId: string): void {
    this.#ports.delete(agentId);
    this.#readers.delete(agentId);
  }

  #isAllowed(agentId: string): boolean {
    const policy = this.#options.policies.get(agentId);
    return policy?.ownServers === true && policy.tier !== "none";
  }

  async #read(agentId: string): Promise<void> {
    const { servers, signal, onFailed } = this.#options;
    let ports: readonly number[] = [];
    try {
      const found = await servers()?.list({ agentId }, signal);
      ports = (found?.items ?? []).map(({ port }) => port);
    } catch (error) {
      if (!signal.aborted) onFailed(agentId, error);
    }
    // An agent that was deleted in the meantime is forgotten.
    if (this.#readers.has(agentId)) this.#ports.set(agentId, ports);
  }
}
