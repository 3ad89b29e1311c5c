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
  PickedElement,
  TouchMessage,
  ViewedPage,
  ViewerMessage,
  ViewSize,
} from "../../src/view/view-messages.ts";

export type { Box, Point } from "../../src/annotate/find-element.ts";

/** Messages from the daemon, besides pictures. */
export type ViewMessage = Message | Frame;

/** The answer to a message `pick`. */
export type PickAnswer = Extract<ViewMessage, { type: "picked" }>;
