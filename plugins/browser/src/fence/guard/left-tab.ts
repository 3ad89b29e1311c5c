/** A tab of an agent that navigated to an address that the agent may not open. */
export interface LeftTab {
  targetId: string;
  agentId: string;
  url: string;
  reason: string;
}
