import type { Log } from "@gantry/plugin";
import type { Deadline } from "@gantry/system/clock/deadline";
import type { PluginEntry } from "./plugin-status.ts";
import type { PluginRegister } from "./plugin-register.ts";
import type { ServiceRegistry } from "./service-registry.ts";
import type { StateWriter } from "./state-writer.ts";

/** The state of a plugin after its stop, and the reason. */
export interface StopOutcome {
  state: "waiting" | "failed";
  reason: string;
}

/** Dependencies of {@link stopPlugins}. */
export interface StopHost {
  log: Log;
  services: ServiceRegistry;
  register: PluginRegister;
  setState: StateWriter["set"];
}

const STOPPED: StopOutcome = { state: "waiting", reason: "stopped" };

/**
 * Stops plugins and, before each, the plugins that need it. Those that do not need each other stop in parallel.
 *
 * @param outcome State of the given plugins after the stop; that of the plugins that need them is always `waiting`.
 */
export async function stopPlugins(
  host: StopHost,
  entries: readonly PluginEntry[],
  outcome = STOPPED,
  deadline?: Deadline,
): Promise<void> {
  const { register, services } = host;
  const providersOf = ({ definition }: PluginEntry): PluginEntry[] =>
    Object.values(definition?.needs ?? {}).flatMap(
      ({ id }) => register.get(services.providerOf(id) ?? "") ?? [],
    );
  const dependentsOf = (entry: PluginEntry): PluginEntry[] =>
    register
      .list()
      .filter(
        (other) =>
          other.scope !== undefined && providersOf(other).includes(entry),
      );
  /** Length of the longest chain of plugins that stop one after the other from this one on. */
  const levelsFrom = (entry: PluginEntry): number =>
    1 + Math.max(0, ...providersOf(entry).map(levelsFrom));

  const stopping = new Map<PluginEntry, Promise<void>>();
  const stop = (entry: PluginEntry): Promise<void> => {
    let done = stopping.get(entry);
    if (!done) {
      const parts = levelsFrom(entry);
      const after = entries.includes(entry) ? outcome : STOPPED;
      done = Promise.all(dependentsOf(entry).map(stop)).then(() =>
        // Time that one of them leaves unused goes to the plugins that it needs.
        stopOne(host, entry, after, deadline?.atMost(deadline.left() / parts)),
      );
      stopping.set(entry, done);
    }
    return done;
  };
  await Promise.all(entries.map(stop));
}

async function stopOne(
  { log, setState }: StopHost,
  entry: PluginEntry,
  { state, reason }: StopOutcome,
  deadline: Deadline | undefined,
): Promise<void> {
  if (!entry.scope) return;
  await setState(entry, "stopping");
  const left = await entry.scope.end(deadline);
  if (left > 0)
    log.error("Plugin left something behind", {
      plugin: entry.id,
      count: left,
    });
  entry.scope = undefined;
  await setState(entry, state, reason);
}
