import type { MouseMessage, ViewerMessage } from "./viewMessages.ts";

/**
 * Interval between pointer moves and wheel turns. A socket accepts 100 messages a second, including frame
 * acknowledgements.
 */
const PACE_MS = 33;

/** Sends pointer messages in order, at a limited rate. */
export interface Pacer {
  /** Sends at once, after pending messages. */
  now(message: ViewerMessage): void;
  /** Sends in the next interval; only the last move is kept, and wheel turns are added up. */
  soon(message: ViewerMessage): void;
  close(): void;
}

/** Creates a pacer around a function that sends. */
export function createPacer(send: (message: ViewerMessage) => void): Pacer {
  let waiting: ViewerMessage | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    const message = waiting;
    waiting = undefined;
    if (message) send(message);
  }
  function turn(): void {
    timer = undefined;
    if (!waiting) return;
    flush();
    timer = setTimeout(turn, PACE_MS);
  }
  return {
    now(message) {
      flush();
      send(message);
    },
    soon(message) {
      waiting = join(waiting, message);
      if (timer) return;
      flush();
      timer = setTimeout(turn, PACE_MS);
    },
    close: () => clearTimeout(timer),
  };
}

type WheelMessage = MouseMessage & { kind: "wheel" };

const isWheel = (message: ViewerMessage | undefined): message is WheelMessage =>
  message?.type === "mouse" && message.kind === "wheel";

function join(
  waiting: ViewerMessage | undefined,
  next: ViewerMessage,
): ViewerMessage {
  if (!isWheel(waiting) || next.type !== "mouse") return next;
  // A wheel message contains the pointer position, so the pending move is dropped.
  if (!isWheel(next)) return { ...waiting, x: next.x, y: next.y };
  return {
    ...next,
    deltaX: waiting.deltaX + next.deltaX,
    deltaY: waiting.deltaY + next.deltaY,
  };
}
