import { WebSocket } from "ws";
import { onTestFinished } from "vitest";

/** An open socket, as a client sees it. */
export interface TestSocket {
  send(data: string | Uint8Array): void;
  /** The next message that came. */
  next(): Promise<string | Uint8Array>;
  close(code?: number): void;
  /** Resolves with how it ended. */
  readonly closed: Promise<{ code: number; reason: string }>;
}

/** Opens a WebSocket with headers of the test's choice. Rejects if it is refused. */
export async function openSocket(
  url: string,
  headers: Record<string, string>,
): Promise<TestSocket> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
  socket.binaryType = "arraybuffer";
  onTestFinished(() => socket.close());
  const received: (string | Uint8Array)[] = [];
  let wake = () => {};
  socket.addEventListener("message", ({ data }: { data: unknown }) => {
    received.push(
      typeof data === "string" ? data : new Uint8Array(data as ArrayBuffer),
    );
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.addEventListener(
      "close",
      ({ code, reason }: { code: number; reason: string }) =>
        resolve({ code, reason }),
    ),
  );
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () =>
      reject(new Error("The socket was refused.")),
    );
  });
  return {
    closed,
    send: (data) => socket.send(data),
    close: (code) => socket.close(code),
    async next() {
      for (;;) {
        const message = received.shift();
        if (message !== undefined) return message;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
