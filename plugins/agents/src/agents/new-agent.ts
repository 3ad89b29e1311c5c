/** Settings of a new agent; a default applies to each that is missing or `null`. */
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
