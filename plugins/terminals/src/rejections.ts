// Lists of codes for the `errors` of operations, of this plugin and of those that call its services.

/** What `TerminalHost.open` rejects with. */
export const TERMINAL_OPEN_ERRORS = [
  "TERMINAL_FOLDER_MISSING",
  "TERMINAL_FOLDER_SILENT",
  "TERMINAL_NOT_STARTED",
  "TERMINAL_LIMIT",
  "TERMINAL_UNAVAILABLE",
] as const;

/** What sending text into a terminal can be refused with, `TerminalPanes.prompt` and `TerminalPanes.run` included. */
export const TERMINAL_INPUT_ERRORS = [
  "TERMINAL_NOT_FOUND",
  "TERMINAL_EXITED",
  "TERMINAL_REPLACED",
  "TERMINAL_KIND",
  "TERMINAL_BUSY",
  "TERMINAL_INPUT_FULL",
  "TERMINAL_TEXT_CONTROL",
  "TERMINAL_UNAVAILABLE",
] as const;
