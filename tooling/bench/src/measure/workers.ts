import { ask } from "./automations.ts";
import type { Daemon } from "./daemon.ts";
import { createRepository } from "./repository.ts";
import { writeTranscript } from "./transcript.ts";
import { toWork } from "./worked-entries.ts";

const FILES = 100;

/** What of a page may move without its user: a fifth of what is called good. */
export const MAX_SHIFT = 0.02;

export const shift = (value: number): string => value.toFixed(4);

/**
 * Makes agents that have worked in one repository, each with its number of messages from `counts`.
 *
 * @returns the paths of their pages
 */
export async function createWorkers<const Counts extends readonly number[]>(
  daemon: Daemon,
  { home, cwd }: { home: string; cwd: string },
  counts: Counts,
  cli?: string,
): Promise<{ [Index in keyof Counts]: string }> {
  await createRepository(cwd, FILES);
  const paths: string[] = [];
  for (const count of counts) {
    const { id } = await ask<{ id: string }>(daemon, "POST", "/api/agents", {
      ...{ name: `Agent ${count}`, cwd },
      ...(cli !== undefined && { cli }),
    });
    await writeTranscript(home, id, count, toWork);
    paths.push(`/agents/${id}`);
  }
  // One path was added for each of the counts.
  return paths as { [Index in keyof Counts]: string };
}
