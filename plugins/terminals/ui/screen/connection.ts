import type { Heard, Says } from "../wire.ts";

/** What is known of the way to a terminal. */
export type ConnectionState = "connecting" | "open" | "lost" | "closed";

/** Takes what comes from a terminal. */
export interface ConnectionEar {
  hears(message: Heard): void;
  output(bytes: Uint8Array): void;
  state(state: ConnectionState): void;
}

/** The way to one terminal. */
export interface Connection {
  type(text: string): void;
  bytes(data: Uint8Array): void;
  say(message: Says): void;
  /** Acknowledges output once it is drawn. */
  drawn(bytes: number): void;
  close(): void;
}

/** Limit on a message to the daemon. */
const MAX_MESSAGE_BYTES = 48 * 1024;
/** Drawn output is acknowledged once in this time, since a socket has a budget of messages. */
const ACK_MS = 25;
const FIRST_WAIT_MS = 300;
const MAX_WAIT_MS = 5_000;
const NORMAL = 1000;

/** Connects with a terminal, and again whenever the connection ends by itself. */
export function connect(id: string, ear: ConnectionEar): Connection {
  const url = new URL(`/api/terminals/${id}/attach`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const encoder = new TextEncoder();
  let socket: WebSocket | undefined;
  let wait = FIRST_WAIT_MS;
  let retry: number | undefined;
  let ackTimer: number | undefined;
  let drawn = 0;
  let isOver = false;

  function open(): void {
    clearTimeout(retry);
    const current = new WebSocket(url);
    socket = current;
    drawn = 0;
    current.binaryType = "arraybuffer";
    current.addEventListener("open", () => {
      wait = FIRST_WAIT_MS;
      ear.state("open");
    });
    current.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (current !== socket) return;
      if (typeof data === "string") {
        const message = JSON.parse(data) as Heard;
        if (message.type === "closed") isOver = true;
        ear.hears(message);
      } else ear.output(new Uint8Array(data as ArrayBuffer));
    });
    current.addEventListener("close", ({ code }) => {
      if (current !== socket) return;
      if (isOver || code === NORMAL) {
        isOver = true;
        ear.state("closed");
        return;
      }
      ear.state("lost");
      retry = window.setTimeout(open, wait);
      wait = Math.min(wait * 2, MAX_WAIT_MS);
    });
  }

  const isOpen = () => socket?.readyState === WebSocket.OPEN;
  function bytes(data: Uint8Array): void {
    for (let at = 0; at < data.length && isOpen(); at += MAX_MESSAGE_BYTES)
      socket?.send(data.slice(at, at + MAX_MESSAGE_BYTES));
  }
  const say = (message: Says) => {
    if (isOpen()) socket?.send(JSON.stringify(message));
  };

  ear.state("connecting");
  open();
  return {
    bytes,
    say,
    type: (text) => bytes(encoder.encode(text)),
    drawn(count) {
      drawn += count;
      ackTimer ??= window.setTimeout(() => {
        ackTimer = undefined;
        if (drawn > 0) say({ type: "ack", bytes: drawn });
        drawn = 0;
      }, ACK_MS);
    },
    close() {
      isOver = true;
      clearTimeout(retry);
      clearTimeout(ackTimer);
      socket?.close();
      socket = undefined;
    },
  };
}
