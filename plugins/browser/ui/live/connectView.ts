import type { ViewerMessage, ViewMessage } from "./viewMessages.ts";

/** State of the connection to a tab's view. */
export type ConnectionState = "connecting" | "open" | "lost" | "over";

/** Callbacks of a connection. */
export interface ConnectionHandlers {
  message(message: ViewMessage): void;
  picture(bytes: ArrayBuffer): void;
  state(state: ConnectionState): void;
}

/** An open view of one tab. */
export interface ViewConnection {
  /**
   * Sends a message. Messages are dropped while disconnected, except the size, which is sent again after reconnecting.
   */
  send(message: ViewerMessage): void;
  close(): void;
}

const FIRST_RETRY_MS = 300;
const MAX_RETRY_MS = 5_000;

/** Connects to a tab's view, and reconnects when the connection is lost, until the tab is closed. */
export function connectView(
  tabId: string,
  handlers: ConnectionHandlers,
): ViewConnection {
  const url = new URL(
    `/api/browser/tabs/${encodeURIComponent(tabId)}/view`,
    location.href,
  );
  url.protocol = url.protocol.replace("http", "ws");
  let socket: WebSocket | undefined;
  let retryMs = FIRST_RETRY_MS;
  let timer: number | undefined;
  let isOver = false;
  let size: ViewerMessage | undefined;

  function open(): void {
    const current = new WebSocket(url);
    socket = current;
    current.binaryType = "arraybuffer";
    current.addEventListener("open", () => {
      retryMs = FIRST_RETRY_MS;
      if (size) current.send(JSON.stringify(size));
      handlers.state("open");
    });
    current.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (current !== socket) return;
      if (typeof data !== "string") {
        handlers.picture(data as ArrayBuffer);
        return;
      }
      const message = JSON.parse(data) as ViewMessage;
      if (message.type === "gone") isOver = true;
      handlers.message(message);
    });
    current.addEventListener("close", () => {
      if (current !== socket) return;
      handlers.state(isOver ? "over" : "lost");
      if (isOver) return;
      timer = window.setTimeout(open, retryMs);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    });
  }

  handlers.state("connecting");
  open();
  return {
    send(message) {
      if (message.type === "size") size = message;
      if (socket?.readyState === WebSocket.OPEN)
        socket.send(JSON.stringify(message));
    },
    close() {
      isOver = true;
      clearTimeout(timer);
      const last = socket;
      socket = undefined;
      last?.close();
    },
  };
}
