/**
 * What a CLI supports through its driver. A request for something that is false is answered 501 `AGENT_UNSUPPORTED`,
 * with the capability's name.
 */
export interface AgentCapabilities {
  /** Resumes an earlier conversation in a new process. */
  resume: boolean;
  /** Accepts a message during the running turn. */
  steer: boolean;
  /** Accepts pictures with a prompt. */
  images: boolean;
  /** Asks before it uses a tool. */
  permissions: boolean;
  /**
   * Started with {@link OpenSession.asksFirst}, it changes nothing and runs no program without asking, whatever the
   * user has allowed permanently. Read-only runs are refused without it.
   */
  asksFirst: boolean;
  /** Allows choosing the model. */
  model: boolean;
  /** Allows choosing the thinking level. */
  thinking: boolean;
  /** Accepts additional instructions. */
  extraPrompt: boolean;
  /** Can be prevented from changing files. */
  readOnly: boolean;
  /** Compacts its conversation on request. */
  compact: boolean;
  /** Has slash commands, which are sent as prompts. */
  commands: boolean;
  /** Continues from before an earlier message of the user. */
  fork: boolean;
  /** Continues with a copy of the whole conversation. */
  clone: boolean;
  /** Has a screen of its own that continues the same conversation in a terminal. */
  terminal: boolean;
  /** Has a login of its own that runs in a terminal. */
  login: boolean;
  /** Stores the conversation in a file of its own. */
  nativeExport: boolean;
  /** Supports the tool servers of other plugins: {@link OpenSession.tools}. */
  tools: boolean;
  /**
   * Stops a turn by itself as soon as it has spent {@link OpenSession.maxCostUsd}. Without this, the turn is stopped
   * when the driver reports the spending.
   */
  costCap: boolean;
  /** Which spending it reports. */
  cost: "usd" | "tokens" | "none";
}

/**
 * All capabilities off. A driver spreads it and adds what it supports, so that capabilities added later do not break
 * it.
 */
export const NO_CAPABILITIES: AgentCapabilities = {
  resume: false,
  steer: false,
  images: false,
  permissions: false,
  asksFirst: false,
  model: false,
  thinking: false,
  extraPrompt: false,
  readOnly: false,
  compact: false,
  commands: false,
  fork: false,
  clone: false,
  terminal: false,
  login: false,
  nativeExport: false,
  tools: false,
  costCap: false,
  cost: "none",
};
