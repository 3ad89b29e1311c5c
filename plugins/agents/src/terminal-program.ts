/** A program to run in a terminal. */
export interface TerminalProgram {
  /** Absolute path. */
  file: string;
  args: readonly string[];
  /** Added to the environment. */
  env: Readonly<Record<string, string>>;
}
