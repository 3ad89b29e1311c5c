import { errors } from "../errors.ts";
import { HostLost, HostRefusal } from "../hosting/host-client.ts";

/** Says what the host refused in this plugin's own errors. */
export async function ask<Result>(
  request: () => Promise<Result>,
  { cwd = "", name = "" }: { cwd?: string; name?: string } = {},
): Promise<Result> {
  try {
    return await request();
  } catch (cause) {
    if (cause instanceof HostLost)
      throw errors.TERMINAL_UNAVAILABLE(
        { reason: "their host process ended in the middle; try again." },
        { cause },
      );
    if (cause instanceof HostRefusal && cause.code === "folder")
      throw errors.TERMINAL_FOLDER_MISSING({ cwd }, { cause });
    if (cause instanceof HostRefusal && cause.code === "program")
      throw errors.TERMINAL_NOT_STARTED(
        { name, reason: "the system refused it" },
        { cause },
      );
    throw cause;
  }
}
