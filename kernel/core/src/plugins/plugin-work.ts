import type { PluginContext } from "@gantry/plugin";
import { scheduleJob } from "@gantry/system/clock/cron";
import { runInContext } from "@gantry/system/context/work-context";
import type { PluginContextHost } from "./plugin-context-host.ts";
import type { PluginInstance } from "./plugin-instance.ts";
import { afterStart } from "./start-pass.ts";

/** Creates the methods of a plugin's context that register callbacks for events, cron lines, the start and the doctor. */
export function createPluginWork(
  {
    bus,
    clock,
    startPass,
    checks,
  }: Pick<PluginContextHost, "bus" | "clock" | "startPass" | "checks">,
  { id, log, scope, whileActive, ownSource }: PluginInstance,
): Pick<PluginContext, "on" | "cron" | "whenStarted" | "diagnose"> {
  return {
    on: whileActive((token, listener, options) =>
      ownSource(
        bus.on(
          id,
          token,
          (event) => scope.follow((async () => listener(event))()),
          options,
        ),
      ),
    ),
    cron: whileActive((line, work, { timezone }) => {
      const job = (signal: AbortSignal) =>
        scope.follow((async () => work(signal))());
      const schedule = { plugin: id, line, timezone, job };
      return ownSource(scheduleJob(schedule, { clock, log }));
    }),
    whenStarted: whileActive((work) => {
      const then = () => runInContext({ plugin: id }, async () => work());
      return ownSource(afterStart(startPass, scope, log, then));
    }),
    // Not followed: a check has a timeout of its own, and a stop need not wait for one that hangs.
    diagnose: whileActive((check) =>
      ownSource(
        checks.add(id, () => runInContext({ plugin: id }, async () => check())),
      ),
    ),
  };
}
