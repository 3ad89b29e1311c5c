import { defineService } from "@gantry/plugin";
import type { ToolServer } from "./tool-server.ts";

/** A tool server that another plugin offers to the sessions of agents. */
export interface ToolOffer {
  /** Name of the tool server, unique among all offers; see {@link ToolServer.name}. */
  name: string;
  /**
   * Called before each session of an agent whose CLI supports tools. Returns the server for this session, with a key of
   * its own in `env`, or `null` for none.
   *
   * - `sessionId` identifies this start of the CLI, not the conversation: an agent that is opened again gets another one.
   * - `signal` aborts when the session ends: its process or screen ended, it did not start, the answer took longer than
   *   5 s, or the offer or the daemon was stopped. Revoke the key then.
   *
   * If it rejects, takes longer than 5 s or returns an invalid server, a warning is logged and the session starts without
   * the server.
   */
  admit(
    input: { agentId: string; sessionId: string },
    signal: AbortSignal,
  ): Promise<ToolServer | null>;
}

/** Adds tool servers of other plugins, such as the work browser, to the sessions of agents. */
export interface AgentTools {
  /**
   * Adds an offer until `signal` aborts; usually the plugin's own signal. Open sessions get it when they are opened again;
   * see {@link renew}. An offer contains functions, so this service works only within the daemon's process.
   *
   * Rejects with `AGENT_TOOLS_TAKEN` (409) if the name is taken, and `AGENT_TOOLS_INVALID` (400) if it is not valid.
   */
  offer(offer: ToolOffer, signal: AbortSignal): Promise<void>;
  /**
   * Makes an open agent request its tools again: closes it as soon as it is idle and none of its servers listens, so that
   * its next message opens it again with the same conversation. Does nothing for an agent that is closed or in a terminal.
   */
  renew(input: { agentId: string }, signal: AbortSignal): Promise<void>;
}

/** Token of the service {@link AgentTools}. */
export const AgentTools = defineService<AgentTools>("agents.tools@1");
