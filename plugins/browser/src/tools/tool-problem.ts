/** Why a tool call failed, as a message for the agent. */
export class ToolProblem extends Error {
  override readonly name = "ToolProblem";
}
