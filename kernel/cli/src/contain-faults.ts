import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "@gantry/plugin";
import type { FaultHost } from "@gantry/kernel/kernel-options";
import { workContext } from "@gantry/system/context/work-context";
import {
  createStopDeadline,
  STOP_LIMIT_MS,
} from "@gantry/system/shutdown/shutdown";

/** Exit code for a fault of the kernel's own, after which its state cannot be trusted. */
const EXIT_FAULT = 70;
/** Uncaught faults that one plugin may have within a minute before it is stopped. */
const MAX_FAULTS = 100;
const WINDOW_MS = 60_000;

/**
 * The last seam: a stray promise or a bare timer of a plugin that throws is logged with its owner and
 * costs no other plugin anything. A plugin that keeps doing so is stopped. What the kernel itself did not catch
 * ends the process, cleanly.
 *
 * @returns ends it
 */
export function containFaults(host: FaultHost): () => void {
  const { log, guard } = host;
  const counts = new Map<string, () => number>();

  function containPlugin(plugin: string, kind: string, fault: unknown): void {
    const countFault = counts.get(plugin) ?? createFaultCount(host.clock);
    counts.set(plugin, countFault);
    const count = countFault();
    // What a plugin that was stopped has left running must not fill the disk with lines.
    const faults = host.countFault(plugin);
    if (count <= MAX_FAULTS)
      log.error(`Uncaught ${kind}`, { plugin, faults }, fault);
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
      workContext.getStore()?.plugin ?? findOwner(fault, host.pluginFolders());
    if (owner !== undefined && owner !== "kernel")
      return containPlugin(owner, kind, fault);
    log.error(`Uncaught ${kind}`, { plugin: "kernel" }, fault);
    process.exitCode = EXIT_FAULT;
    // What is at fault may hang as well.
    setTimeout(() => process.exit(EXIT_FAULT), STOP_LIMIT_MS).unref();
    void host
      .stop(createStopDeadline())
      .finally(() => process.exit(EXIT_FAULT));
  };
  const onException = contain("exception");
  const onRejection = contain("rejection");
  // Code of a plugin that ends the process is known by whose code runs at that moment.
  const onExit = (code: number) => {
    const owner = workContext.getStore()?.plugin;
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

/** Makes a function that adds one, and gives how many there were within the last minute. */
function createFaultCount(clock: Clock): () => number {
  let times: number[] = [];
  return () => {
    const now = clock.monotonic();
    times = times.filter((time) => time > now - WINDOW_MS);
    // Beyond the limit only the fact counts.
    if (times.length <= MAX_FAULTS) times.push(now);
    return times.length;
  };
}

/** The plugin in whose folder an error was made: for a listener that a plugin put on an object of the whole process. */
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
