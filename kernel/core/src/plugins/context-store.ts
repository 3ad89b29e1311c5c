import type { Store } from "@gantry/plugin";
import type { StoreHost } from "@gantry/store/collection-host";
import { createScopedStore } from "@gantry/store/scoped-store";
import type { Seam } from "./seam.ts";

/** The store of a plugin, in which it emits only events that it declares. */
export function createContextStore(
  host: Pick<StoreHost, "core" | "quarantine" | "clock">,
  { id, definition, scope, log, requireRunning }: Seam,
): Store {
  const declared = new Set(definition.events?.map(({ type }) => type));
  const checkEvents = (events: readonly { type: string }[] = []) => {
    const unknown = events.find(({ type }) => !declared.has(type));
    if (unknown)
      throw new TypeError(
        `"${id}" emits ${unknown.type} but does not declare it in its events.`,
      );
  };
  const { core } = host;
  return createScopedStore(id, {
    ...host,
    log,
    signal: scope.signal,
    onUpkeep: scope.followUpkeep,
    core: {
      ...core,
      async commit(writer, operations, events) {
        requireRunning();
        if (writer === id) checkEvents(events);
        await core.commit(writer, operations, events);
      },
    },
  });
}
