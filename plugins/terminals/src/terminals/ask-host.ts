import { errors } from "../errors.ts";
import { HostLost, HostRefusal } from "../hosting/host-client.ts";

/**
 * Says what the host refused in this plugin's own errors.
 *
 * @param start The program that the request starts, if it starts one.
 */
export async function ask<Result>(
  request: () => Promise<Result>,
  start?: { cwd: string; name: string },
): Promise<Result> {
  try {
    return await request();
  } catch (cause) {
    if (cause instanceof HostLost)
      throw errors.TERMINAL_UNAVAILABLE(
        { reason: "their host process ended in the middle; try again." },
        { cause },
      );
    if (!start || !(cause instanceof HostRefusal)) throw cause;
    const { cwd, name } = start;
    if (cause.code === "folder")
      throw errors.TERMINAL_FOLDER_MISSING({ cwd }, { cause });
    if (cause.code === "program")
      throw errors.TERMINAL_NOT_STARTED(
        { name, reason: "the system refused it" },
        { cause },
      );
    throw cause;
  }
}
