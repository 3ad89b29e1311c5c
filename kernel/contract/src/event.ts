/** An event type without the type of its data. */
export interface EventDescription {
  readonly kind: "event";
  /** `area.past-tense`, such as `automations.run-finished`. */
  readonly type: string;
  /** One sentence for the reference: when the event is emitted. */
  readonly summary: string;
}

/** Identifies an event type and the type of its data. Tokens with equal `type` are interchangeable, also across bundles. */
export interface EventToken<Data> extends EventDescription {
  /** Exists only for type inference; never set. */
  readonly "~data"?: Data;
  /**
   * Creates an event of this type, to be passed to a store batch or to `ctx.emit`.
   *
   * @param subject Id of the resource that the event concerns.
   */
  of(subject: string, data: Data): NewEvent<Data>;
}

/** An event that has not been stored yet. */
export interface NewEvent<Data = unknown> {
  readonly type: string;
  readonly subject: string;
  readonly data: Data;
}

/** A stored event, as it is in the event log and in event streams. */
export interface EventRecord<Data = unknown> extends NewEvent<Data> {
  /** Position in the log: a positive integer, strictly increasing. */
  readonly id: number;
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string;
  /** The plugin that emitted it. */
  readonly plugin: string;
}

/**
 * Declares an event type. An event reports something that happened; it is never a request.
 *
 * @example
 * export const NoteAdded = defineEvent<{ title: string }>("notes.note-added", "A note was added.");
 * await ctx.store.batch([notes.toInsert(note)], [NoteAdded.of(note.id, { title: note.title })]);
 *
 * @throws TypeError if `type` is not of the form `area.past-tense`.
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
