/** One message of an event stream, as a client sees it. */
export interface ReadMessage {
  /** What a client sends as `Last-Event-ID` to resume here; `undefined` if the message has none. */
  id: string | undefined;
  /** Name of the event; `message` if the stream gives none. */
  event: string;
  /** Parsed from JSON. */
  data: unknown;
}

/** Reads an open event stream message by message. */
export interface StreamReader {
  /** The next message, `undefined` at the end of the stream. */
  next(): Promise<ReadMessage | undefined>;
  /** Reads on until a message fits. Rejects at the end of the stream. */
  until(fits: (message: ReadMessage) => boolean): Promise<ReadMessage>;
  /** Leaves. */
  close(): Promise<void>;
}

/** Reads the server-sent events of a response. Comments are passed over. */
export function readEventStream(response: Response): StreamReader {
  const reader = response.body
    ?.pipeThrough(new TextDecoderStream())
    .getReader();
  if (!reader) throw new TypeError("The response has no body.");
  let text = "";
  let ended = false;

  async function next(): Promise<ReadMessage | undefined> {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const message = parse(block);
        if (message) return message;
        continue;
      }
      if (ended) return undefined;
      const { done, value } = await reader!.read();
      ended = done;
      text += value ?? "";
    }
  }

  return {
    next,
    async until(fits) {
      for (;;) {
        const message = await next();
        if (!message)
          throw new Error("The stream ended before the message came.");
        if (fits(message)) return message;
      }
    },
    close: () => reader.cancel(),
  };
}

function parse(block: string): ReadMessage | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const separator = line.indexOf(":");
    if (separator > 0)
      fields.set(
        line.slice(0, separator),
        line.slice(separator + 1).replace(/^ /, ""),
      );
  }
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return {
    id: fields.get("id"),
    event: fields.get("event") ?? "message",
    data: JSON.parse(data) as unknown,
  };
}
