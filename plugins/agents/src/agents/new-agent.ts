/** What can be said of a new agent. */
export interface NewAgent {
  name: string;
  cwd?: string | null;
  /** It works in a new working tree of the repository that the folder is in. */
  worktree?: { branch?: string | null; setup?: string | null } | null;
  cli?: string | null;
  model?: string | null;
  thinking?: string | null;
  extraPrompt?: string | null;
  readOnly?: boolean | null;
  automationId?: string | null;
}
