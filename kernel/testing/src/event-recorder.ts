import type { EventRecord, EventToken } from "@gantry/plugin";

/** Collects events as they are stored, for a test to inspect or wait for. */
export interface EventRecorder {
  /** All events so far, or those of one kind. */
  all(): EventRecord[];
  all<Data>(token: EventToken<Data>): EventRecord<Data>[];
  /** The first matching event of a kind, past or future. Waits for it. */
  first<Data>(
    token: EventToken<Data>,
    fits?: (event: EventRecord<Data>) => boolean,
  ): Promise<EventRecord<Data>>;
  /** The next matching event of a kind from now on. Waits for it. */
  next<Data>(
    token: EventToken<Data>,
    fits?: (event: EventRecord<Data>) => boolean,
  ): Promise<EventRecord<Data>>;
}

type Subscribe = (subscriber: (events: readonly EventRecord[]) => void) => void;

/** Starts recording. */
export function createEventRecorder(subscribe: Subscribe): EventRecorder {
  const events: EventRecord[] = [];
  const waiting = new Set<(event: EventRecord) => void>();
  subscribe((batch) => {
    for (const event of batch) {
      events.push(event);
      for (const receive of [...waiting]) receive(event);
    }
  });

  function next<Data>(
    token: EventToken<Data>,
    fits: (event: EventRecord<Data>) => boolean = () => true,
  ) {
    return new Promise<EventRecord<Data>>((resolve) => {
      const receive = (event: EventRecord) => {
        if (event.type !== token.type || !fits(event as EventRecord<Data>))
          return;
        waiting.delete(receive);
        resolve(event as EventRecord<Data>);
      };
      waiting.add(receive);
    });
  }

  const all = <Data>(token?: EventToken<Data>) =>
    (token
      ? events.filter((event) => event.type === token.type)
      : [...events]) as EventRecord<Data>[];

  return {
    all,
    next,
    async first(token, fits = () => true) {
      return all(token).find(fits) ?? next(token, fits);
    },
  };
}
