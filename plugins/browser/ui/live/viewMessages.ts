import type {
  FrameMessage as Frame,
  ViewMessage as Message,
} from "../../src/view/view-messages.ts";

// Types only: they must match the daemon's, and the schemas stay out of the bundle.
export type {
  Driver,
  FrameMessage,
  KeyMessage,
  MouseMessage,
  TouchMessage,
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

type MessageOf<Type extends Message["type"]> = Extract<Message, { type: Type }>;

/** The element under the pointer while the user annotates. */
export type PickedElement = Omit<MessageOf<"picked">, "type">;
/** A page's request for the location, notifications and the like. */
export type PermissionRequest = Omit<MessageOf<"permission">, "type">;
