import { homePaths } from "@gantry/system/home/home";
import type { Home } from "@gantry/system/home/home";
import { callControl } from "@gantry/system/home/control";
import { findHolder } from "@gantry/system/home/lock";
import { resolveHome } from "@gantry/kernel/config/config";
import { UserError } from "@gantry/system/user-error";

/** The paths of the home that is meant. */
export function homeOf(args: { home?: string }): Home {
  return homePaths(resolveHome(args, process.env));
}

/** A daemon that runs on a home, to be asked for things. */
export type RunningDaemon = Awaited<ReturnType<typeof requireRunningDaemon>>;

/** The daemon that runs on a home, `undefined` if there is none. */
export async function findRunningDaemon(home: string | undefined) {
  const holder = await findHolder(homeOf({ home }));
  if (!holder?.control || !holder.url) return undefined;
  const { control, pid, url } = holder;
  return {
    pid,
    url,
    call: <Result>(command: string, input?: object, signal?: AbortSignal) =>
      callControl<Result>(control, command, input, signal).catch(
        (cause: Error) => {
          throw new UserError(cause.message, { cause });
        },
      ),
  };
}

/** As {@link findRunningDaemon}. @throws UserError if there is none */
export async function requireRunningDaemon(home: string | undefined) {
  const daemon = await findRunningDaemon(home);
  if (daemon) return daemon;
  throw new UserError(
    `No daemon runs on ${homeOf({ home }).folder}; start one with \`gantry serve\`.`,
  );
}
