import { AnyEvent } from "@gantry/plugin";
import type {
  Disposer,
  EventRecord,
  EventToken,
  ListenOptions,
} from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { createDurableListener } from "./durable-listener.ts";
import type { DurableListener } from "./durable-listener.ts";
import type { Listener, EventBusHost } from "./event-bus-host.ts";

/** Stored events after which the cursors of durable listeners are written, even if none of the events was for them. */
const ADVANCE_EVERY = 1_000;

/** Delivers stored events to plugins. */
export interface EventBus {
  on<Data>(
    plugin: string,
    token: EventToken<Data>,
    listener: (event: EventRecord<Data>) => void | Promise<void>,
    options?: ListenOptions,
  ): Disposer;
  /** Writes the cursors of durable listeners, so that the next start does not read events that were not for them. */
  advance(): Promise<void>;
  /** How many listeners there are. */
  readonly size: number;
}

/** Delivers events to listeners, each guarded, so that none reaches the emitter or another listener. */
export function createEventBus(host: EventBusHost): EventBus {
  const { core, log: eventLog } = host;
  const listeners = new Map<string, Set<(event: EventRecord) => void>>();
  const durables = new Set<DurableListener>();
  let advancedTo = eventLog.latest();
  core.subscribe((events) => {
    for (const event of events)
      for (const type of [event.type, AnyEvent.type])
        for (const listener of listeners.get(type) ?? []) listener(event);
    if (eventLog.latest() - advancedTo >= ADVANCE_EVERY) void advance();
  });

  async function advance(): Promise<void> {
    advancedTo = eventLog.latest();
    const moves = [...durables].flatMap((durable) =>
      durable.toAdvance(advancedTo),
    );
    if (moves.length === 0) return;
    await runInContext({ plugin: "kernel" }, () =>
      core.engine.commit(moves),
    ).catch((error: unknown) =>
      host.logOf("kernel").warn("Cursors of listeners not written", {
        reason: String(error),
      }),
    );
  }

  function add(type: string, listener: (event: EventRecord) => void): Disposer {
    const ofType = listeners.get(type) ?? new Set();
    listeners.set(type, ofType.add(listener));
    return () => {
      if (ofType.delete(listener) && ofType.size === 0) listeners.delete(type);
    };
  }

  return {
    advance,
    get size() {
      let size = 0;
      for (const ofType of listeners.values()) size += ofType.size;
      return size;
    },
    on(plugin, token, listener, { durable } = {}) {
      const handler = listener as Listener;
      const log = host.logOf(plugin);
      if (durable !== undefined) {
        const durableListener = createDurableListener(host, {
          plugin,
          name: durable,
          type: token.type,
          handler,
        });
        const remove = add(token.type, durableListener.receive);
        durables.add(durableListener);
        return () => {
          remove();
          durables.delete(durableListener);
          durableListener.stop();
        };
      }
      return add(token.type, (event) => {
        void runInContext({ plugin }, async () => {
          try {
            await handler(event as EventRecord<never>);
          } catch (error) {
            log.error(
              "Listener failed",
              { event: event.type, id: event.id },
              error,
            );
          }
        });
      });
    },
  };
}
