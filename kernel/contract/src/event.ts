/** What is known of a kind of event without the shape of its data. */
export interface EventDescription {
  /** Tells it from a service token. */
  readonly kind: "event";
  /** `area.past-tense`, such as `automations.run-finished`. */
  readonly type: string;
  /** One sentence for the reference page: when it is emitted. */
  readonly summary: string;
}

/** Names a kind of event and the shape of its data. Equal `type` strings are one kind, also across bundles. */
export interface EventToken<Data> extends EventDescription {
  /** Carries the type only; never set. */
  readonly "~data"?: Data;
  /**
   * Makes an occurrence of this event, to be handed to a store batch or to `ctx.emit`.
   *
   * @param subject Id of the thing that changed.
   */
  of(subject: string, data: Data): NewEvent<Data>;
}

/** An event that has not been stored yet. */
export interface NewEvent<Data = unknown> {
  /** `area.past-tense`, as in {@link EventDescription.type}. */
  readonly type: string;
  /** Id of the record or thing that changed. */
  readonly subject: string;
  /** Plain data of the shape that the token declares; stored and sent as JSON. */
  readonly data: Data;
}

/** An event as the log holds it and as streams send it. */
export interface EventRecord<Data = unknown> extends NewEvent<Data> {
  /** Position in the log: a positive integer that only grows. */
  readonly id: number;
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string;
  /** The plugin that emitted it. */
  readonly plugin: string;
}

/** All events, for a listener that passes on whatever happens. It is none itself. */
export const AnyEvent: EventToken<unknown> = {
  kind: "event",
  type: "*",
  summary: "Anything happened.",
  of: (subject, data) => ({ type: "*", subject, data }),
};

/**
 * Declares an event. Events tell what happened; they never ask for something.
 *
 * @example
 * export const NoteAdded = defineEvent<{ title: string }>("notes.note-added", "A note was added.");
 * await ctx.store.batch([notes.toInsert(note)], [NoteAdded.of(note.id, { title: note.title })]);
 *
 * @throws TypeError if the type is not of the form `area.past-tense`.
 */
export function defineEvent<Data>(
  type: string,
  summary: string,
): EventToken<Data> {
  if (!/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/.test(type)) {
    throw new TypeError(
      `Event type "${type}" is not of the form area.past-tense.`,
    );
  }
  return {
    kind: "event",
    type,
    summary,
    of: (subject, data) => ({ type, subject, data }),
  };
}
