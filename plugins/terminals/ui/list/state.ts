import type { Tone } from "@gantry/ui-kit";
import type { Terminal } from "../wire.ts";

/** What a terminal does, in a word, and how much that matters. */
export function stateOf(
  terminal: Pick<Terminal, "state" | "prompt" | "exitCode" | "signal" | "kind">,
): { label: string; tone: Tone } {
  if (terminal.state === "exited") {
    if (terminal.signal) return { label: terminal.signal, tone: "failed" };
    if (terminal.exitCode === null) return { label: "Ended", tone: "neutral" };
    return terminal.exitCode === 0
      ? { label: "Ended", tone: "neutral" }
      : { label: `Ended with ${terminal.exitCode}`, tone: "failed" };
  }
  if (terminal.kind === "cli") return { label: "Running", tone: "active" };
  if (terminal.prompt === "busy") return { label: "Busy", tone: "active" };
  return { label: "Ready", tone: "success" };
}
