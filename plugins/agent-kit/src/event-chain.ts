import type {
  DriverEvent,
  DriverListener,
  SessionEvent,
  TurnEvent,
} from "./driver-events.ts";

type WithoutTurn<Event> = Event extends unknown ? Omit<Event, "turn"> : never;

/** An event of a turn, or possibly of one, before the turn's id is added. */
export type TurnNews = WithoutTurn<TurnEvent>;
export type SessionNews = WithoutTurn<SessionEvent>;

const SESSION_TYPES: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "usage",
  "dialog-opened",
  "dialog-closed",
  "plan",
  "notice",
]);

/** Delivers events to a listener one after another, in the order of the calls. */
export class EventChain {
  readonly #listener: DriverListener;
  #last: Promise<void> = Promise.resolve();

  constructor(listener: DriverListener) {
    this.#listener = listener;
  }

  /** Resolves when the listener has processed the event. */
  emit(event: DriverEvent): Promise<void> {
    const emitted = this.#last.then(() => this.#listener(event));
    this.#last = emitted.catch(() => undefined);
    return emitted;
  }

  /** As {@link emit}, for a turn. Without a turn, events that only exist within turns are dropped. */
  async within(
    turn: string | null,
    event: TurnNews | SessionNews,
  ): Promise<void> {
    if (turn !== null || SESSION_TYPES.has(event.type))
      await this.emit({ ...event, turn } as DriverEvent);
  }
}
