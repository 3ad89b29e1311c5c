import type { Clock, Log } from "@gantry/plugin";
import { currentContext } from "./context/work-context.ts";
import type { CrashGuard } from "./plugins/crash-guard.ts";

/** Exit code for a fault of the kernel's own, after which its state cannot be trusted. */
const EXIT_FAULT = 70;
/** So many faults of plugins within a minute, and something is badly wrong. */
const MOST_FAULTS = 100;

/** What the last seam stands on. */
export interface FaultHost {
  log: Log;
  clock: Clock;
  guard: CrashGuard;
  /** Stops the daemon cleanly. */
  stop(): Promise<void>;
}

/**
 * The last seam (architecture §5): a stray promise or a bare timer of a plugin that throws is logged with its owner and
 * costs nobody else anything. What the kernel itself did not catch ends the process, cleanly.
 */
export function containFaults({ log, clock, guard, stop }: FaultHost): void {
  const faults: number[] = [];
  const contain = (kind: string) => (fault: unknown) => {
    const owner = currentContext()?.plugin;
    const now = clock.monotonic();
    while (faults.length > 0 && (faults[0] ?? 0) < now - 60_000) faults.shift();
    faults.push(now);
    log.error(`Uncaught ${kind}`, { plugin: owner ?? "kernel" }, fault);
    if (
      owner !== undefined &&
      owner !== "kernel" &&
      faults.length <= MOST_FAULTS
    )
      return;
    if (owner) guard.blame(owner);
    process.exitCode = EXIT_FAULT;
    void stop().finally(() => process.exit(EXIT_FAULT));
  };
  process.on("uncaughtException", contain("exception"));
  process.on("unhandledRejection", contain("rejection"));
  // Code of a plugin that ends the process is known by whose code runs at that moment.
  process.on("exit", (code) => {
    const owner = currentContext()?.plugin;
    if (code !== EXIT_FAULT && owner !== undefined && owner !== "kernel")
      guard.blame(owner);
  });
}
