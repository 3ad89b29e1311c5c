import { NoticeRaised } from "@gantry/plugin";
import type { Log, NewEvent } from "@gantry/plugin";
import { PluginChanged } from "./plugin-status.ts";
import type { PluginEntry, PluginState } from "./plugin-status.ts";

/** Dependencies of {@link createStateWriter}. */
export interface StateWriterHost {
  log: Log;
  /** Removes secrets from the reason of a failure, which is stored and shown. */
  redact(text: string): string;
  /** Writes kernel events. */
  emit(...events: NewEvent[]): Promise<void>;
}

/** Sets the states of plugins and stores the events that report them. */
export interface StateWriter {
  set(
    entry: PluginEntry,
    state: PluginState,
    reason?: string | null,
  ): Promise<void>;
  /** Runs work, then stores the events of all states that were set meanwhile in one batch, also if the work fails. */
  batch(work: () => Promise<void>): Promise<void>;
}

/** Creates the writer of plugin states. */
export function createStateWriter(host: StateWriterHost): StateWriter {
  const { log } = host;
  let pending: NewEvent[] | undefined;

  async function store(events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    // A full disk must not keep a plugin from starting or stopping.
    await host
      .emit(...events)
      .catch((error: unknown) => log.error("Event not stored", {}, error));
  }

  return {
    async set(entry, state, why = null) {
      const reason = why && host.redact(why);
      entry.state = state;
      entry.reason = reason;
      if (state === "starting" || state === "stopping") return;
      log.info(`Plugin ${state}`, { plugin: entry.id, reason });
      const events = eventsOf(entry.id, state, reason);
      if (pending) pending.push(...events);
      else await store(events);
    },
    async batch(work) {
      const events: NewEvent[] = (pending = []);
      try {
        await work();
      } finally {
        pending = undefined;
        await store(events);
      }
    },
  };
}

function eventsOf(
  id: string,
  state: PluginState,
  reason: string | null,
): NewEvent[] {
  const changed = PluginChanged.of(id, { state, reason });
  if (state !== "failed") return [changed];
  const title = `The plugin "${id}" is not running`;
  const body = reason ?? "";
  return [changed, NoticeRaised.of(id, { title, body, severity: "error" })];
}
