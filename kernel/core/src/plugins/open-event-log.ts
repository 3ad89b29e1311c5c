import type { EventLog } from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import type { PluginContextHost } from "./plugin-context-host.ts";
import type { PluginInstance } from "./plugin-instance.ts";

/** Opens the event log for one plugin. */
export function openEventLog(
  { eventLog, store }: Pick<PluginContextHost, "eventLog" | "store">,
  { id, log, whileActive, ownSource }: PluginInstance,
): EventLog {
  const { core } = store;
  return {
    latest: () => core.latestEventId(),
    async covers(position) {
      const isKnown =
        position >= core.eventFloor && position <= core.latestEventId();
      return isKnown && position + 1 >= (await eventLog.oldest());
    },
    read: ({ after, upTo, limit }) => eventLog.read(after, limit, upTo),
    follow: whileActive((listener) =>
      ownSource(
        core.subscribe((events) => {
          runInContext({ plugin: id }, () => {
            try {
              listener(events);
            } catch (error) {
              log.error("Listener failed", { id: events.at(-1)?.id }, error);
            }
          });
        }),
      ),
    ),
  };
}
