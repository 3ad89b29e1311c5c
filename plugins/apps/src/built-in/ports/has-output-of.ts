import { readlink } from "node:fs/promises";

/**
 * Whether a process writes where the program itself does, as a CLI does that was started by a script: what a CLI runs would
 * disturb its protocol there. `false` on a system without /proc.
 */
export async function hasOutputOf(
  pid: number,
  program: number,
): Promise<boolean> {
  const [own, other] = await Promise.all(
    [pid, program].map((each) =>
      readlink(`/proc/${each}/fd/1`).catch(() => undefined),
    ),
  );
  return own !== undefined && own === other;
}
