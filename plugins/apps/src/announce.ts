import type { Clock, Disposer, Log, NewEvent } from "@gantry/plugin";
import { AppsChanged } from "./contract.ts";

/** Apps come and go many at once, as their plugins do; all of them are one event. */
const SETTLE_MS = 200;

/** Dependencies of {@link createAnnouncer}. */
export interface AnnouncerHost {
  clock: Clock;
  log: Log;
  emit(...events: NewEvent[]): Promise<void>;
  own(dispose: () => void): Disposer;
  /** Ids of the apps that are there. */
  list(): string[];
}

/** Makes a function that tells once, a moment later, that apps came or went. */
export function createAnnouncer(host: AnnouncerHost): () => void {
  let stop: Disposer | undefined;
  let isOver = false;
  const tell = async () => {
    stop = undefined;
    try {
      await host.emit(AppsChanged.of("list", { apps: host.list() }));
    } catch {
      // Without storage there is no event; a page sees the change when it loads the list again.
      host.log.warn("The change of the apps could not be announced");
    }
  };
  host.own(() => {
    isOver = true;
    stop?.();
  });
  return () => {
    if (isOver) return;
    stop ??= host.clock.after(SETTLE_MS, () => void tell());
  };
}
