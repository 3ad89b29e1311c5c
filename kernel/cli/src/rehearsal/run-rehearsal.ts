import { mkdtemp, realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RehearsalOutcome } from "@gantry/plugin";
import * as z from "zod";
import { homePaths } from "@gantry/system/home/home";
import { readCulprit } from "@gantry/kernel/plugins/crash-guard";
import { ownMain, runOwnMain } from "@gantry/system/processes/run-own-main";
import type { RehearsalOrder } from "@gantry/kernel/rehearsal/rehearsal";

const LIMIT_MS = 60_000;

/** The last line that the other process prints. */
const Outcome = z.object({
  plugins: z.array(
    z.object({
      id: z.string(),
      state: z.string(),
      reason: z.string().nullable(),
    }),
  ),
  recordVersions: z.record(z.string(), z.number()),
});

/**
 * Rehearses a start on a copy of a home in a process of its own, with 60 s of time. Node keeps that process from writing
 * anywhere but into the copy and from starting programs, whatever its plugins try.
 *
 * @throws Error that says why it did not start, or took too long; the signal's reason
 */
export async function runRehearsal(
  home: string,
  order: RehearsalOrder,
  signal: AbortSignal,
  main = ownMain(),
): Promise<RehearsalOutcome> {
  signal.throwIfAborted();
  // Node follows links before it compares paths.
  const copy = await realpath(home);
  // Beside the copy, which is a stage of the home: whatever interrupts this process, the next start removes both.
  const temporary = await mkdtemp(join(dirname(copy), "temporary-"));
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const output = await runOwnMain(main, {
      options: [
        ...["--permission", "--allow-fs-read=*"],
        ...[copy, temporary].map((folder) => `--allow-fs-write=${folder}`),
      ],
      args: ["rehearse", "--home", copy],
      cwd: copy,
      env: { TMPDIR: temporary },
      input: JSON.stringify(order),
      signal: AbortSignal.any([signal, limit]),
    });
    const line = output.trimEnd().split("\n").at(-1) ?? "";
    return Outcome.parse(JSON.parse(line));
  } catch (error) {
    signal.throwIfAborted();
    const reason = limit.aborted
      ? `It took longer than ${LIMIT_MS / 1_000} s.`
      : (error as Error).message;
    const plugin = readCulprit(homePaths(copy).starting);
    throw new Error(
      plugin === undefined
        ? reason
        : `${reason} The plugin "${plugin}" was starting.`,
      { cause: error },
    );
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
