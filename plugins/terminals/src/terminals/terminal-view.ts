import * as z from "zod";
import { terminalRecord } from "./terminal-record.ts";
import type { TerminalRecord } from "./terminal-record.ts";
import type { HostedTerminal } from "../wire/protocol.ts";

/** A terminal as clients see it. */
export const terminalView = terminalRecord.omit({ pid: true }).extend({
  /** Of its first process; `null` once it has ended. */
  pid: z.number().int().nullable(),
  /** What the program calls itself. */
  title: z.string().nullable(),
  /** Whether a shell waits for a command; `unknown` if it does not tell. */
  prompt: z.enum(["ready", "busy", "unknown"]),
  cols: z.number().int().nullable(),
  rows: z.number().int().nullable(),
  /** How many look at it now. */
  viewers: z.number().int(),
});
export type TerminalView = z.infer<typeof terminalView>;

/** Puts together what is stored and what the host knows; `undefined` if it does not have the terminal. */
export function toView(
  record: TerminalRecord,
  hosted: HostedTerminal | null | undefined,
): TerminalView {
  const isRunning = record.state === "running";
  return {
    ...record,
    pid: isRunning ? record.pid : null,
    cwd: isRunning ? (hosted?.cwd ?? record.cwd) : record.cwd,
    title: hosted?.title ?? null,
    prompt: isRunning ? (hosted?.prompt ?? "unknown") : "unknown",
    cols: hosted?.cols ?? null,
    rows: hosted?.rows ?? null,
    viewers: hosted?.viewers ?? 0,
  };
}
