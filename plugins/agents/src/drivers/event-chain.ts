import type {
  DriverEvent,
  DriverListener,
  SessionEvent,
  TurnEvent,
} from "../driver.ts";

type WithoutTurn<Event> = Event extends unknown ? Omit<Event, "turn"> : never;

/** An event that belongs to a turn or may belong to one, before it is said to which. */
export type TurnNews = WithoutTurn<TurnEvent>;
export type SessionNews = WithoutTurn<SessionEvent>;

/** What makes no sense without a turn. */
const TURN_TYPES: ReadonlySet<string> = new Set<TurnEvent["type"]>([
  "turn-started",
  "turn-ended",
]);

/** Hands events of all sources to a listener, one after the other. */
export class EventChain {
  readonly #listener: DriverListener;
  #last: Promise<void> = Promise.resolve();

  constructor(listener: DriverListener) {
    this.#listener = listener;
  }

  /** Resolves when the listener has taken the event. */
  emit(event: DriverEvent): Promise<void> {
    const emitted = this.#last.then(() => this.#listener(event));
    this.#last = emitted.catch(() => undefined);
    return emitted;
  }

  /** As {@link emit}, for a turn. Without one, its beginning and its end are dropped. */
  async within(
    turn: string | null,
    event: TurnNews | SessionNews,
  ): Promise<void> {
    if (turn !== null || !TURN_TYPES.has(event.type))
      await this.emit({ ...event, turn } as DriverEvent);
  }
}
