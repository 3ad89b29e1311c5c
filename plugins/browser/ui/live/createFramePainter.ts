import type { FrameMessage } from "./viewMessages.ts";

/** A decoded picture, as `createImageBitmap` gives it. */
export type Picture = Pick<ImageBitmap, "width" | "height" | "close">;

/** Dependencies of {@link createFramePainter}. */
export interface PainterOptions {
  decode(bytes: Blob): Promise<Picture>;
  draw(picture: Picture, frame: FrameMessage): void;
  /** Called once for each frame, drawn or skipped, so that the daemon sends the next one. */
  shown(frame: FrameMessage): void;
}

/** Draws the frames of a view. */
export interface FramePainter {
  /** Announces the next picture. */
  announce(frame: FrameMessage): void;
  picture(bytes: ArrayBuffer): void;
  close(): void;
}

interface Waiting {
  frame: FrameMessage;
  bytes: ArrayBuffer;
}

/** Draws one frame after another; of those that arrive during decoding, only the newest. */
export function createFramePainter(options: PainterOptions): FramePainter {
  let announced: FrameMessage | undefined;
  let waiting: Waiting | undefined;
  let isDecoding = false;
  let isClosed = false;

  async function paint({ frame, bytes }: Waiting): Promise<void> {
    const blob = new Blob([bytes], { type: `image/${frame.format}` });
    // A picture that cannot be decoded is skipped; the next one replaces it.
    const picture = await options.decode(blob).catch(() => undefined);
    if (picture && !isClosed) options.draw(picture, frame);
    picture?.close();
    if (!isClosed) options.shown(frame);
  }

  async function work(): Promise<void> {
    isDecoding = true;
    while (waiting && !isClosed) {
      const next = waiting;
      waiting = undefined;
      await paint(next);
    }
    isDecoding = false;
  }

  return {
    announce: (frame) => void (announced = frame),
    picture(bytes) {
      if (!announced) return;
      if (waiting) options.shown(waiting.frame);
      waiting = { frame: announced, bytes };
      announced = undefined;
      if (!isDecoding) void work();
    },
    close: () => void (isClosed = true),
  };
}
