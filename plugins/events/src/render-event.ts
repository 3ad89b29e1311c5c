import { renderMessage } from "@gantry/plugin";
import type { EventRecord, RenderedMessage } from "@gantry/plugin";

/** Renders an event as a message of the stream, with its number as the position to resume from. */
export const renderEvent = (event: EventRecord): RenderedMessage =>
  renderMessage({ id: String(event.id), event: event.type, data: event });
