/** One message of a server-sent event stream. */
export interface SseMessage {
  /** Last id that the stream gave, this message's or an earlier one's; empty if none. */
  id: string;
  event: string;
  data: string;
}

/**
 * Makes a function that takes a stream's text in pieces of any size and gives the messages that they complete.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export function createSseParser(): (piece: string) => SseMessage[] {
  let rest = "";
  let id = "";
  let event = "";
  let data: string[] = [];

  function takeLine(line: string): SseMessage | undefined {
    if (line === "") {
      const message =
        data.length > 0
          ? { id, event: event || "message", data: data.join("\n") }
          : undefined;
      event = "";
      data = [];
      return message;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
    return undefined;
  }

  return (piece) => {
    rest += piece;
    const messages: SseMessage[] = [];
    for (;;) {
      const end = rest.search(/[\r\n]/);
      // A CR at the very end may be the first half of CRLF: wait for the next piece.
      if (end < 0 || (rest[end] === "\r" && end === rest.length - 1))
        return messages;
      const line = rest.slice(0, end);
      rest = rest.slice(end + (rest.startsWith("\r\n", end) ? 2 : 1));
      const message = takeLine(line);
      if (message) messages.push(message);
    }
  };
}
