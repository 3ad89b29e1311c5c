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

/** Within the budget of messages of a socket. */
const ACK_MS = 12;

/** Looks at a terminal, and confirms everything as it comes. */
export async function openViewer(
  { base, session }: Access,
  id: string,
): Promise<TerminalViewer> {
  const url = `${base.replace("http", "ws")}/api/terminals/${id}/attach`;
  // Node's own takes headers, which the types of a browser's do not know.
  const socket = new WebSocket(url, {
    headers: { ...session, origin: base },
  } as never);
  socket.binaryType = "arraybuffer";
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
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") {
      const message = JSON.parse(data) as { type: string; bytes: number };
      if (message.type === "screen") screen = message.bytes;
    } else {
      const piece = new Uint8Array(data as ArrayBuffer);
      bytes += piece.length;
      unconfirmed += piece.length;
      wake(piece);
    }
    if (bytes >= screen) wakeDrawn();
  });
  socket.addEventListener("close", () => clearInterval(timer));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () =>
      reject(new Error("The terminal cannot be looked at.")),
    );
  });
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
