import { readFile } from "node:fs/promises";
import { onTestFinished, vi } from "vitest";
import { createFakeClock } from "../../../testing/src/index.ts";
import { createMarkers } from "@gantry/system/processes/markers";
import { createChildren } from "@gantry/system/processes/children";
import type { DetachedPrograms } from "@gantry/system/processes/detached-programs";
import { openDetachedPrograms } from "@gantry/system/processes/detached-programs";
import { createRun } from "@gantry/system/processes/run";
import { temporaryFolder } from "@gantry/build/testing";

export const SHELL = "/bin/sh";

/** A `run` of a plugin without a daemon round it, on a clock that stands still. */
export async function createTestRun(
  environment: NodeJS.ProcessEnv = process.env,
  detached?: DetachedPrograms,
) {
  const folder = await temporaryFolder();
  const clock = createFakeClock();
  const stopping = new AbortController();
  const markers = createMarkers(folder);
  const run = createRun(
    {
      markers,
      clock,
      environment,
      children: createChildren(),
      detached: detached ?? openDetachedPrograms(await temporaryFolder()),
    },
    "probe",
    stopping.signal,
  );
  onTestFinished(async () => {
    stopping.abort();
    await markers.endLeftovers();
  });
  return { folder, clock, markers, run, stop: () => stopping.abort() };
}

/** Whether a process is there and is not only waiting to be buried. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const state = stat.slice(stat.lastIndexOf(")") + 2)[0];
  return state !== undefined && state !== "Z" && state !== "X";
}

/** Waits until all of these processes are gone. */
export async function allGone(pids: readonly number[]): Promise<void> {
  await vi.waitFor(async () => {
    const left = (await Promise.all(pids.map(isRunning))).filter(Boolean);
    if (left.length > 0)
      throw new Error(`${left.length} of ${pids.join()} still run.`);
  });
}

/** Reads numbers, one a line, until there are `count`. */
export async function readPids(
  stream: NodeJS.ReadableStream,
  count: number,
): Promise<number[]> {
  let text = "";
  for await (const chunk of stream) {
    text += String(chunk);
    const lines = text.split("\n").slice(0, -1);
    if (lines.length >= count) return lines.map(Number);
  }
  throw new Error(`It ended after: ${text}`);
}
