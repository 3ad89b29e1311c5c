import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RehearsedPlugin } from "@gantry/plugin";
import * as z from "zod";
import { homePaths } from "@gantry/system/home/home";
import { ownMain, runOwnMain } from "@gantry/system/processes/run-own-main";
import { readCulprit } from "../plugins/crash-guard.ts";
import type { RehearsalOrder } from "../rehearsal.ts";

const LIMIT_MS = 60_000;

/** The last line of output of the child process. */
const Outcome = z.object({
  plugins: z.array(
    z.object({
      id: z.string(),
      state: z.string(),
      reason: z.string().nullable(),
    }),
  ),
});

/**
 * Rehearses a start on a copy of a home in a child process, with a timeout of 60 s. Node's permission model lets that process
 * write only into the copy and start no programs.
 *
 * @throws Error with the reason why it did not start or took too long; the signal's reason
 */
export async function runRehearsal(
  home: string,
  order: RehearsalOrder,
  signal: AbortSignal,
  main = ownMain(),
): Promise<{ plugins: RehearsedPlugin[] }> {
  signal.throwIfAborted();
  // Node resolves links before it compares paths.
  const copy = await realpath(home);
  const temporary = await mkdtemp(join(await realpath(tmpdir()), "gantry-"));
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
