import type { Socket } from "node:net";
import { FrameKind, toBytesHead, toMessageFrame } from "../wire/frames.ts";
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
  readonly #queues = new Map<number, Buffer[][]>();

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
      output: (data) =>
        this.#put(viewer, [
          toBytesHead(FrameKind.output, viewer, data.length),
          data,
        ]),
    };
  }

  /** Lets go of what waits for a viewer who has left. */
  forget(viewer: number): void {
    this.#queues.delete(viewer);
  }

  #put(viewer: number, frame: Buffer[]): void {
    const queue = this.#queues.get(viewer);
    const isSmall = (frame.at(-1)?.length ?? 0) <= SMALL;
    if (queue) queue.push(frame);
    else if (isSmall || !this.#socket.writableNeedDrain) this.#write(frame);
    else this.#queues.set(viewer, [frame]);
  }

  #write(frame: Buffer[]): void {
    this.#socket.cork();
    for (const part of frame) this.#socket.write(part);
    this.#socket.uncork();
  }

  #pump(): void {
    // One who is added again behind the others comes again in the same loop.
    for (const [viewer, queue] of this.#queues) {
      if (this.#socket.writableNeedDrain) return;
      const frame = queue.shift();
      this.#queues.delete(viewer);
      if (queue.length > 0) this.#queues.set(viewer, queue);
      if (frame) this.#write(frame);
    }
  }
}
