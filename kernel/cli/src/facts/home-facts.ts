import type { DaemonFacts, Finding, KernelFacts } from "@gantry/plugin";
import type { Home } from "@gantry/system/home/home";
import { deliveredFolders } from "../commands/delivered-folders.ts";
import type { RunningDaemon } from "../commands/running-daemon.ts";
import { readStoppedFacts } from "./stopped-facts.ts";

/** Time in which a daemon has to answer. */
const ANSWER_TIMEOUT_MS = 5_000;

/** Creates the facts of a home: those of its daemon, or what its files say if none runs or it does not answer. */
export function createHomeFacts(
  home: Home,
  daemon: RunningDaemon | undefined,
): KernelFacts {
  const ask = <Result>(command: string) =>
    daemon?.call<Result>(command, {}, AbortSignal.timeout(ANSWER_TIMEOUT_MS));
  return {
    read: async () =>
      (await ask<DaemonFacts>("facts")?.catch(() => undefined)) ??
      readStoppedFacts({
        home,
        environment: process.env,
        builtinPlugins: deliveredFolders().builtinPlugins,
        isSilent: daemon !== undefined,
      }),
    findings: async () => (await ask<Finding[]>("findings")) ?? [],
  };
}
