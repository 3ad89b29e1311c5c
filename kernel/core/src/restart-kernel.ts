import { startKernel } from "./kernel.ts";
import type { Kernel } from "./kernel.ts";
import type { KernelOptions } from "./kernel-options.ts";
import { createStopDeadline } from "@gantry/system/shutdown/shutdown";

/**
 * Stops a daemon whose home is to be replaced and starts it again, which replaces the home. The ports stay open meanwhile and
 * hold requests back, so settings of what they listen on stay as they are.
 *
 * @throws as {@link startKernel}; the ports are then closed
 */
export async function restartKernel(
  { config, handOver }: Kernel,
  options: Omit<KernelOptions, "config" | "ports">,
): Promise<Kernel> {
  const { host, port, portIsGiven, https, insecure } = config;
  const { reloadConfig } = options;
  const ports = await handOver(createStopDeadline());
  try {
    options.signal?.throwIfAborted();
    return await startKernel({
      ...options,
      config,
      ports,
      reloadConfig:
        reloadConfig &&
        (async () => ({
          ...(await reloadConfig()),
          ...{ host, port, portIsGiven, https, insecure },
        })),
    });
  } catch (error) {
    await ports.close();
    throw error;
  }
}
