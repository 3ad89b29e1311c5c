/** An option of a {@link DriverDialog}. */
export interface DriverDialogOption {
  id: string;
  label: string;
  kind:
    "allow-once" | "allow-always" | "reject-once" | "reject-always" | "other";
}

/** A question of a CLI that waits for an answer. */
export interface DriverDialog {
  id: string;
  kind: "permission" | "question";
  title: string;
  body: string;
  /** Name of the tool to run, `null` if the CLI does not report it. */
  tool: string | null;
  /** The tool's input as JSON. Missing if the CLI does not report it. */
  input?: string;
  options: DriverDialogOption[];
  takesText: boolean;
}

/** An answer to a {@link DriverDialog}: an option, a text, or neither. */
export type DialogAnswer =
  | { kind: "option"; optionId: string }
  | { kind: "text"; value: string }
  | { kind: "cancelled" };
