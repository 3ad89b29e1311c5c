import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock, Log } from "@gantry/plugin";
import { currentContext } from "@gantry/system/context/work-context";
import type { CrashGuard } from "./plugins/crash-guard.ts";
import type { Deadline } from "@gantry/system/clock/deadline";
import {
  createStopDeadline,
  STOP_LIMIT_MS,
} from "@gantry/system/shutdown/shutdown";

/** Exit code for an uncaught error of the kernel, after which its state cannot be trusted. */
const EXIT_FAULT = 70;
/** Uncaught errors of one plugin within a minute after which it is stopped. */
const MAX_FAULTS = 100;
const WINDOW_MS = 60_000;

/** Dependencies of {@link containFaults}. */
export interface FaultHost {
  log: Log;
  clock: Clock;
  guard: CrashGuard;
  /** Folders of the plugins, by id. */
  pluginFolders(): ReadonlyMap<string, string>;
  /** Stops one plugin and leaves it `failed`. */
  stopPlugin(plugin: string, reason: string): Promise<void>;
  /** Stops the daemon cleanly, its plugins by a deadline. */
  stop(deadline: Deadline): Promise<void>;
}

/**
 * Handles uncaught errors of the process. One of a plugin, from an unhandled promise or a bare timer, is logged with its
 * owner and affects no other plugin; a plugin with too many of them is stopped. One of the kernel stops the process cleanly.
 *
 * @returns removes the handlers
 */
export function containFaults(host: FaultHost): () => void {
  const { log, guard } = host;
  const budgets = new Map<string, FaultBudget>();

  function containPlugin(plugin: string, kind: string, fault: unknown): void {
    const budget = budgets.get(plugin) ?? createFaultBudget(host.clock);
    budgets.set(plugin, budget);
    const count = budget.add();
    // Code that a stopped plugin left running must not fill the disk with log lines.
    if (count <= MAX_FAULTS) log.error(`Uncaught ${kind}`, { plugin }, fault);
    if (count !== MAX_FAULTS) return;
    const reason = `it had ${MAX_FAULTS} uncaught faults within a minute; \`gantry plugins enable ${plugin}\` starts it again`;
    host
      .stopPlugin(plugin, reason)
      .catch((error: unknown) =>
        log.error("Plugin could not be stopped", { plugin }, error),
      );
  }

  const contain = (kind: string) => (fault: unknown) => {
    const owner =
      currentContext()?.plugin ?? findOwner(fault, host.pluginFolders());
    if (owner !== undefined && owner !== "kernel")
      return containPlugin(owner, kind, fault);
    log.error(`Uncaught ${kind}`, { plugin: "kernel" }, fault);
    process.exitCode = EXIT_FAULT;
    // The faulty code may hang as well.
    setTimeout(() => process.exit(EXIT_FAULT), STOP_LIMIT_MS).unref();
    void host
      .stop(createStopDeadline())
      .finally(() => process.exit(EXIT_FAULT));
  };
  const onException = contain("exception");
  const onRejection = contain("rejection");
  // A plugin that exits the process is found by the context in which its code runs.
  const onExit = (code: number) => {
    const owner = currentContext()?.plugin;
    if (code !== EXIT_FAULT && owner !== undefined && owner !== "kernel")
      guard.blame(owner);
  };
  process.on("uncaughtException", onException);
  process.on("unhandledRejection", onRejection);
  process.on("exit", onExit);
  return () => {
    process.off("uncaughtException", onException);
    process.off("unhandledRejection", onRejection);
    process.off("exit", onExit);
  };
}

interface FaultBudget {
  /** Counts an error and returns the number within the last minute. */
  add(): number;
}

function createFaultBudget(clock: Clock): FaultBudget {
  let times: number[] = [];
  return {
    add() {
      const now = clock.monotonic();
      times = times.filter((time) => time > now - WINDOW_MS);
      // Beyond the limit the exact number does not matter.
      if (times.length <= MAX_FAULTS) times.push(now);
      return times.length;
    },
  };
}

/** Finds the plugin whose folder is in the stack of an error, for listeners that a plugin added to a global object. */
function findOwner(
  fault: unknown,
  folders: ReadonlyMap<string, string>,
): string | undefined {
  if (!(fault instanceof Error) || typeof fault.stack !== "string")
    return undefined;
  for (const [url] of fault.stack.matchAll(/file:\/\/[^\s):]+/g)) {
    const file = toPath(url);
    for (const [plugin, folder] of folders)
      if (file?.startsWith(folder + sep)) return plugin;
  }
  return undefined;
}

function toPath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
