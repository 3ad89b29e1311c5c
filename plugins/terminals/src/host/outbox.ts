import type { Socket } from "node:net";
import {
  countBytes,
  FrameKind,
  toBytesFrame,
  toMessageFrame,
  writeFrame,
} from "../wire/frames.ts";
import type { FromHost } from "../wire/protocol.ts";
import type { ViewerSink } from "./viewer.ts";

/** Frames up to this size wait only for earlier ones of the same viewer. */
const SMALL = 4 * 1024;

/**
 * The connection to the daemon, which all viewers share. Frames for one viewer stay in order. Other viewers do not wait for them:
 * large frames of several viewers are sent in turns.
 */
export class Outbox {
  readonly #socket: Socket;
  /** Pending frames, by viewer; the first viewer is next. */
  readonly #queues = new Map<number, Uint8Array[][]>();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("drain", () => this.#pump());
  }

  /** Sends something that is in no order with the output of any viewer. */
  send(message: FromHost): void {
    this.#socket.write(toMessageFrame(message));
  }

  /** The way to one viewer. */
  sinkOf(viewer: number): ViewerSink {
    return {
      hears: (hears) => this.#put(viewer, [toMessageFrame({ viewer, hears })]),
      output: (pieces) =>
        this.#put(viewer, toBytesFrame(FrameKind.output, viewer, pieces)),
    };
  }

  /** Lets go of what waits for a viewer who has left. */
  forget(viewer: number): void {
    this.#queues.delete(viewer);
  }

  #put(viewer: number, frame: Uint8Array[]): void {
    const queue = this.#queues.get(viewer);
    const isFree = !this.#socket.writableNeedDrain;
    if (queue) queue.push(frame);
    else if (isFree || countBytes(frame) <= SMALL)
      writeFrame(this.#socket, frame);
    else this.#queues.set(viewer, [frame]);
  }

  #pump(): void {
    // One who is added again behind the others comes again in the same loop.
    for (const [viewer, queue] of this.#queues) {
      if (this.#socket.writableNeedDrain) return;
      const frame = queue.shift();
      this.#queues.delete(viewer);
      if (queue.length > 0) this.#queues.set(viewer, queue);
      if (frame) writeFrame(this.#socket, frame);
    }
  }
}
