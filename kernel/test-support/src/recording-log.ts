import type { Log } from "@gantry/plugin";

/** A line that was logged. */
export interface LoggedLine {
  level: keyof Log;
  message: string;
}

/** A log that stores its lines. */
export function createRecordingLog(): Log & { lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const at = (level: keyof Log) => (message: string) =>
    void lines.push({ level, message });
  return {
    lines,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
}
