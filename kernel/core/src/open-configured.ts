import type { Clock } from "@gantry/plugin";
import type { Config } from "./config/config.ts";
import { openHomeAndStore } from "./foundation.ts";
import type { Foundation, FoundationOptions } from "./foundation.ts";
import type { OpenPorts } from "@gantry/http/open-ports";
import type { LogSink } from "@gantry/system/log/log";

/** What a home is opened with. */
export interface OpenConfiguredOptions extends FoundationOptions {
  config: Config;
  clock: Clock;
  sink: LogSink;
  ports?: OpenPorts;
  reloadConfig?(): Promise<Config>;
}

/**
 * Opens the home and its store. If a replacement brought another configuration, they are opened again with that.
 *
 * @throws as {@link openHomeAndStore}; ports that were given are then closed
 */
export async function openConfigured(
  options: OpenConfiguredOptions,
): Promise<{ foundation: Foundation; config: Config }> {
  const { config, reloadConfig, ports } = options;
  const open = (by: Config) =>
    openHomeAndStore(by, options.clock, options.sink, options);
  try {
    const foundation = await open(config);
    const { replacement, logOf } = foundation;
    if (!replacement?.bringsConfig || !reloadConfig)
      return { foundation, config };
    const reloaded = await reloadConfig().catch((error: unknown) => {
      // Each setting of it was checked, so only flags can be at odds with it. The next start of the process tells that.
      logOf("kernel").error("Settings not taken over", {}, error);
      return config;
    });
    await foundation.close();
    // What it was when the home was replaced is told, although there is nothing to replace any more.
    const again = await open(reloaded);
    return { foundation: { ...again, replacement }, config: reloaded };
  } catch (error) {
    await ports?.close();
    throw error;
  }
}
