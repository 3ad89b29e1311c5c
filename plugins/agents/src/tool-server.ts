/** A tool server of another plugin, for one session: a program that speaks the Model Context Protocol on its standard streams. */
export interface ToolServer {
  /** The CLI's name for it: lowercase letters and digits, words joined by `-`, at most 32 characters. */
  name: string;
  /** Absolute path of the program. */
  command: string;
  /** Visible to every user of the machine, so they must not contain secrets. */
  args: readonly string[];
  /** Added to the environment of the program. Keys belong here. */
  env: Readonly<Record<string, string>>;
  /**
   * Names of the tools that the CLI calls without asking the user, since the server itself decides what they may do.
   */
  tools: readonly string[];
  /** Added to the agent's instructions to the model, where the CLI supports that. */
  prompt?: string;
}
