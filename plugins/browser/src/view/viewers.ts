import type { FrameMessage, ViewMessage, ViewSize } from "./view-messages.ts";

/** A picture of the page. */
export interface Picture {
  bytes: Uint8Array;
  width: number;
  height: number;
  format: FrameMessage["format"];
  still: boolean;
}

/** Sends messages to one viewer. */
export interface ViewerPort {
  send(message: ViewMessage | FrameMessage): void;
  sendBytes(bytes: Uint8Array): void;
}

/** One viewer: at most one unacknowledged frame; of the frames that wait, only the newest is kept. */
export class Viewer {
  readonly port: ViewerPort;
  /** The size that it requests for the page; only the first viewer's is used. */
  size: ViewSize | undefined;
  #lastFrame = 0;
  #isBusy = false;
  #waiting: Picture | undefined;

  constructor(port: ViewerPort) {
    this.port = port;
  }

  show(picture: Picture): void {
    if (this.#isBusy) {
      this.#waiting = picture;
      return;
    }
    this.#isBusy = true;
    const { bytes, ...rest } = picture;
    this.port.send({ type: "frame", frame: ++this.#lastFrame, ...rest });
    this.port.sendBytes(bytes);
  }

  /** The viewer has drawn a frame. Acknowledgements of earlier frames are ignored. */
  shown(frame: number): void {
    if (frame !== this.#lastFrame) return;
    this.#isBusy = false;
    const next = this.#waiting;
    this.#waiting = undefined;
    if (next) this.show(next);
  }
}

/** All viewers of one tab, in the order in which they connected. */
export class Viewers {
  readonly #all = new Set<Viewer>();

  get count(): number {
    return this.#all.size;
  }

  /** The size to use: that of the first viewer which has requested one. */
  get size(): ViewSize | undefined {
    return [...this.#all].find(({ size }) => size !== undefined)?.size;
  }

  add(viewer: Viewer): void {
    this.#all.add(viewer);
  }

  remove(viewer: Viewer): void {
    this.#all.delete(viewer);
  }

  show(picture: Picture): void {
    for (const viewer of this.#all) viewer.show(picture);
  }

  send(message: ViewMessage): void {
    for (const { port } of this.#all) port.send(message);
  }
}
