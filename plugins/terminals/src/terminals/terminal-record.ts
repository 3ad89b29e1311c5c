import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import type { TerminalBrief } from "../contract.ts";

/** What is stored of a terminal; the rest is what the host knows of it now. */
export const terminalRecord = z.object({
  ...storedFields,
  name: z.string(),
  kind: z.enum(["shell", "cli"]),
  /** Where its program began. */
  cwd: z.string(),
  cli: z.string().nullable(),
  agent: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** What was asked for, for people to see. */
  command: z.string(),
  incarnation: z.string(),
  pid: z.number().int(),
  state: z.enum(["running", "exited"]),
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
});
export type TerminalRecord = z.infer<typeof terminalRecord>;

export const terminalCollection: CollectionDefinition<TerminalRecord> = {
  name: "terminal",
  version: 1,
  schema: terminalRecord,
};

/** What events report about a terminal. */
export function toBrief(record: TerminalBrief): TerminalBrief {
  const { name, kind, cwd, cli, agent } = record;
  return { name, kind, cwd, cli, agent };
}
