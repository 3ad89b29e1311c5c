/** Tokens and money of a turn, a run or an agent. Unknown is `null`, never 0. */
export interface AgentUsage {
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
}
