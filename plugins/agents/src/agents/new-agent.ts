/** What can be said of a new agent. */
export interface NewAgent {
  name: string;
  cwd?: string | null;
  cli?: string | null;
  model?: string | null;
  thinking?: string | null;
  extraPrompt?: string | null;
  readOnly?: boolean | null;
  automationId?: string | null;
}
