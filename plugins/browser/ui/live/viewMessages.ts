import type {
  FrameMessage as Frame,
  ViewMessage as Message,
} from "../../src/view/view-messages.ts";

// Types only: they are the daemon's, and its schemas stay out of the bundle.
export type {
  Driver,
  FileRequest,
  FrameMessage,
  KeyMessage,
  MouseMessage,
  PageDialog,
  TouchMessage,
  ViewedPage,
  ViewerMessage,
  ViewSize,
} from "../../src/view/view-messages.ts";

/** A point of the page in CSS pixels. */
export interface Point {
  x: number;
  y: number;
}

/** Messages from the daemon, besides pictures. */
export type ViewMessage = Message | Frame;
