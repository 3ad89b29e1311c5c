import { once } from "node:events";
import { WebSocket } from "ws";

/** Who may look, and where. */
export interface Access {
  base: string;
  session: { cookie: string };
}

/** A viewer of a terminal that discards the output. */
export interface TerminalViewer {
  /** Bytes of output that came so far. */
  readonly bytes: number;
  type(text: string): void;
  /** Resolves when this number of bytes has come. */
  until(bytes: number): Promise<void>;
  /** Resolves with the next piece of output. */
  next(): Promise<Uint8Array>;
  /** Resolves when the screen is there as it was said to be. */
  readonly drawn: Promise<void>;
  close(): void;
}

/** How large the screen is that comes first. */
interface ScreenMessage {
  type: string;
  bytes: number;
}

/** Within the budget of messages of a socket. */
const ACK_MS = 12;

/** Looks at a terminal, and confirms everything as it comes. */
export async function openViewer(
  { base, session }: Access,
  id: string,
): Promise<TerminalViewer> {
  const url = `${base.replace("http", "ws")}/api/terminals/${id}/attach`;
  // Node's own takes so much of a core that it would be what is measured.
  const socket = new WebSocket(url, {
    headers: { ...session },
    origin: base,
    perMessageDeflate: false,
  });
  let bytes = 0;
  let unconfirmed = 0;
  let screen = Infinity;
  let wake: (piece: Uint8Array) => void = () => {};
  let wakeDrawn: () => void;
  const drawn = new Promise<void>((resolve) => (wakeDrawn = resolve));
  const confirm = () => {
    if (unconfirmed === 0) return;
    socket.send(JSON.stringify({ type: "ack", bytes: unconfirmed }));
    unconfirmed = 0;
  };
  const timer = setInterval(confirm, ACK_MS);
  socket.on("message", (piece: Buffer, isBinary) => {
    if (!isBinary) {
      const message = JSON.parse(piece.toString()) as ScreenMessage;
      if (message.type === "screen") screen = message.bytes;
    } else {
      bytes += piece.length;
      unconfirmed += piece.length;
      wake(piece);
    }
    if (bytes >= screen) wakeDrawn();
  });
  socket.on("close", () => clearInterval(timer));
  await once(socket, "open");
  const next = () => new Promise<Uint8Array>((resolve) => (wake = resolve));
  return {
    get bytes() {
      return bytes;
    },
    drawn,
    next,
    type: (text) => socket.send(Buffer.from(text)),
    async until(wanted) {
      while (bytes < wanted) await next();
    },
    close: () => socket.close(),
  };
}
