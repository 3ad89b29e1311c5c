import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

/** Background work of a CLI, as it is stored and as clients see it. */
export const openWorkSchema = z.object({
  id: z.string(),
  kind: z.enum(["task", "agent", "monitor"]),
  /** What it does, in the CLI's words; may be empty. */
  title: z.string(),
  startedAt: timestamp,
});

export type OpenWork = z.infer<typeof openWorkSchema>;

/** Titles that are told. */
const MAX_TITLES = 3;

/** Describes the background work in a sentence. */
export function describeWork(work: readonly OpenWork[]): string {
  const count = work.length;
  const what =
    count === 1 ? "1 background task was" : `${count} background tasks were`;
  const titles = work.map(({ title }) => title).filter((title) => title !== "");
  const told = titles.slice(0, MAX_TITLES).join("; ");
  const more = titles.length > MAX_TITLES ? "; …" : "";
  return told === ""
    ? `${what} still running.`
    : `${what} still running: ${told}${more}.`;
}
