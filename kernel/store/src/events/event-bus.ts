import { AnyEvent } from "@gantry/plugin";
import type {
  Disposer,
  EventRecord,
  EventToken,
  ListenOptions,
} from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { createDurableListener } from "./durable-listener.ts";
import type {
  DurableListener,
  EventBusHost,
  Listener,
} from "./durable-listener.ts";

/** Stored events after which the cursors of durable listeners are written, even if none of the events was for them. */
const ADVANCE_EVERY = 1_000;

export type EventBus = ReturnType<typeof createEventBus>;

/** Delivers stored events to the listeners of plugins, each guarded, so that none reaches the emitter or another listener. */
export function createEventBus(host: EventBusHost) {
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

  /** Writes the cursors of durable listeners, so that the next start does not read events that were not for them. */
  async function advance(): Promise<void> {
    advancedTo = eventLog.latest();
    const moves = [...durables].flatMap((durable) =>
      durable.toAdvance(advancedTo),
    );
    if (moves.length === 0) return;
    try {
      await runInContext({ plugin: "kernel" }, () => core.engine.commit(moves));
    } catch (error) {
      const reason = String(error);
      host.logOf("kernel").warn("Cursors of listeners not written", { reason });
    }
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
    /** How many listeners there are. */
    get size() {
      let size = 0;
      for (const ofType of listeners.values()) size += ofType.size;
      return size;
    },
    on<Data>(
      plugin: string,
      { type }: EventToken<Data>,
      listener: (event: EventRecord<Data>) => void | Promise<void>,
      { durable: name }: ListenOptions = {},
    ): Disposer {
      const handler = listener as Listener;
      if (name !== undefined) {
        const registration = { plugin, name, type, handler };
        const durable = createDurableListener(host, registration);
        const remove = add(type, durable.receive);
        durables.add(durable);
        return () => {
          remove();
          durables.delete(durable);
          durable.stop();
        };
      }
      const log = host.logOf(plugin);
      return add(type, (event) => {
        void runInContext({ plugin }, async () => {
          try {
            await handler(event as EventRecord<never>);
          } catch (error) {
            const fields = { event: event.type, id: event.id };
            log.error("Listener failed", fields, error);
          }
        });
      });
    },
  };
}
