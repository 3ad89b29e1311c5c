import { join } from "node:path";
import type { CommandInput } from "@gantry/plugin";
import { findRunningDaemon, homeOf } from "../commands/running-daemon.ts";
import { completePath } from "@gantry/system/processes/complete-path";
import { findExecutable } from "@gantry/system/processes/executable";
import { UserError } from "@gantry/system/user-error";
import { askSecret } from "./ask-secret.ts";
import { createDaemonApi } from "./daemon-api.ts";
import { readLenientConfig } from "./lenient-config.ts";
import { describeStoppedHome } from "./stopped-facts.ts";
import { withStoppedHome } from "./stopped-home.ts";

const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/**
 * Makes what a command of a plugin is run with. Until it is disposed, the first signal to end aborts the command's signal,
 * and the next one ends the process.
 *
 * @param plugin Its id.
 * @param home The home that was typed, if any.
 */
export async function openCommandInput(
  plugin: string,
  args: CommandInput["args"],
  home: string | undefined,
): Promise<AsyncDisposable & { input: CommandInput }> {
  const paths = homeOf({ home });
  const running = await findRunningDaemon(home);
  const { settings } = await readLenientConfig(paths);
  const interrupting = new AbortController();
  const { signal } = interrupting;
  const undo = (Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]).map(
    (name) => {
      const ended = new UserError("Interrupted.");
      // As a shell counts it.
      Object.assign(ended, { exitCode: 128 + SIGNALS[name] });
      const interrupt = () => interrupting.abort(ended);
      process.once(name, interrupt);
      return () => process.off(name, interrupt);
    },
  );
  let completed: Promise<void> | undefined;
  // The reader may have closed its end, as `head` does.
  const ignore = () => {};
  process.stdout.on("error", ignore);
  return {
    input: {
      args,
      daemon: running && createDaemonApi(running, paths.token, signal),
      withStoppedHome: (work) => withStoppedHome(paths, plugin, work, signal),
      facts: () => describeStoppedHome(paths),
      async find(name) {
        await (completed ??= completePath(process.env));
        return findExecutable(name, process.env.PATH ?? "");
      },
      folder: join(paths.data, plugin),
      config: Object.hasOwn(settings, plugin) ? settings[plugin] : undefined,
      askSecret: (question) => askSecret(question, signal),
      print: (line) => console.log(line),
      signal,
    },
    async [Symbol.asyncDispose]() {
      for (const off of undo) off();
      process.stdout.off("error", ignore);
    },
  };
}
