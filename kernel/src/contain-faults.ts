import { currentContext } from "./context/work-context.ts";
import type { Kernel } from "./kernel.ts";

/** Exit code for a fault of the kernel's own, after which its state cannot be trusted. */
const EXIT_FAULT = 70;
/** So many faults of plugins within a minute, and something is badly wrong. */
const MOST_FAULTS = 100;

/**
 * The last seam (architecture §5): a stray promise or a bare timer of a plugin that throws is logged with its owner and
 * costs nobody else anything. What the kernel itself did not catch ends the process, cleanly.
 */
export function containFaults(kernel: Kernel): void {
  const log = kernel.foundation.logOf("kernel");
  const faults: number[] = [];
  const contain = (kind: string) => (fault: unknown) => {
    const owner = currentContext()?.plugin;
    const now = kernel.foundation.clock.monotonic();
    while (faults.length > 0 && (faults[0] ?? 0) < now - 60_000) faults.shift();
    faults.push(now);
    log.error(`Uncaught ${kind}`, { plugin: owner ?? "kernel" }, fault);
    if (
      owner !== undefined &&
      owner !== "kernel" &&
      faults.length <= MOST_FAULTS
    )
      return;
    if (owner) kernel.guard.blame(owner);
    process.exitCode = EXIT_FAULT;
    void kernel.stop().finally(() => process.exit(EXIT_FAULT));
  };
  process.on("uncaughtException", contain("exception"));
  process.on("unhandledRejection", contain("rejection"));
  // Code of a plugin that ends the process is known by whose code runs at that moment.
  process.on("exit", (code) => {
    const owner = currentContext()?.plugin;
    if (code !== EXIT_FAULT && owner !== undefined && owner !== "kernel")
      kernel.guard.blame(owner);
  });
}
