import { startKernel } from "./kernel.ts";
import type { Kernel, KernelOptions } from "./kernel.ts";
import { createStopDeadline } from "./shutdown/shutdown.ts";

/**
 * Stops a daemon whose home is to be replaced and starts it again, which replaces the home. The ports stay open meanwhile and
 * hold requests back.
 *
 * @throws as {@link startKernel}; the ports are then closed
 */
export async function restartKernel(
  kernel: Kernel,
  options: Omit<KernelOptions, "config" | "ports">,
  loadConfig: () => Promise<KernelOptions["config"]>,
): Promise<Kernel> {
  const ports = await kernel.handOver(createStopDeadline());
  const { config: before } = kernel;
  try {
    options.signal?.throwIfAborted();
    // One that cannot be used was checked, so only flags can be at odds with it. The next start tells that.
    const config = await loadConfig().catch(() => before);
    const { host, port, portIsGiven, https, insecure } = before;
    // What the open ports were opened with.
    const kept = { host, port, portIsGiven, https, insecure };
    return await startKernel({
      ...options,
      config: { ...config, ...kept },
      ports,
    });
  } catch (error) {
    await ports.close();
    throw error;
  }
}
