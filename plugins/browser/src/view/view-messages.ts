import * as z from "zod";
import type { Box } from "../annotate/find-element.ts";

const MAX_COORDINATE = 100_000;
const MAX_TEXT = 50_000;

const coordinate = z.number().min(-MAX_COORDINATE).max(MAX_COORDINATE);
const point = { x: coordinate, y: coordinate };
const modifiers = z.int().min(0).max(15);

const size = z.strictObject({
  type: z.literal("size"),
  width: z.int().min(200).max(4_000),
  height: z.int().min(100).max(4_000),
  scale: z.number().min(1).max(3),
  touch: z.boolean(),
});
const mouse = z.strictObject({
  type: z.literal("mouse"),
  kind: z.enum(["move", "down", "up", "wheel"]),
  ...point,
  button: z.int().min(0).max(4).default(0),
  buttons: z.int().min(0).max(31).default(0),
  clicks: z.int().min(0).max(10_000).default(1),
  deltaX: coordinate.default(0),
  deltaY: coordinate.default(0),
  modifiers: modifiers.default(0),
});
const touch = z.strictObject({
  type: z.literal("touch"),
  kind: z.enum(["start", "move", "end", "cancel"]),
  points: z.array(z.strictObject({ ...point, id: z.int() })).max(10),
});
const key = z.strictObject({
  type: z.literal("key"),
  kind: z.enum(["down", "up"]),
  key: z.string().min(1).max(64),
  code: z.string().max(64).default(""),
  text: z.string().max(16).optional(),
  modifiers: modifiers.default(0),
  location: z.int().min(0).max(3).default(0),
});

/** Messages from a viewer. Addresses are opened by `POST /api/browser/tabs/{id}/navigate`, which judges them. */
export const viewerMessage = z.discriminatedUnion("type", [
  size,
  mouse,
  touch,
  key,
  /** Pasted text, or the result of an input method. */
  z.strictObject({ type: z.literal("text"), text: z.string().max(MAX_TEXT) }),
  /** What an input method is composing. */
  z.strictObject({ type: z.literal("compose"), text: z.string().max(1_000) }),
  ...(["back", "forward", "reload", "stop", "copy"] as const).map((type) =>
    z.strictObject({ type: z.literal(type) }),
  ),
  z.strictObject({
    type: z.literal("zoom"),
    percent: z.number().min(25).max(400),
  }),
  z.strictObject({
    type: z.literal("find"),
    text: z.string().max(1_000),
    backwards: z.boolean().default(false),
  }),
  /** Which element is at a point, and what it is: as a pointer moves, and as it is pressed. */
  z.strictObject({ type: z.literal("point"), ...point }),
  z.strictObject({ type: z.literal("pick"), ...point }),
  z.strictObject({
    type: z.literal("dialog"),
    accept: z.boolean(),
    text: z.string().max(MAX_TEXT).optional(),
  }),
  /** The answer to a request for files: their ids, or none. */
  z.strictObject({
    type: z.literal("files"),
    ids: z.array(z.string().max(100)).max(50),
  }),
  /** A picture was drawn; the next one may be sent. */
  z.strictObject({ type: z.literal("shown"), frame: z.int() }),
]);
export type ViewerMessage = z.infer<typeof viewerMessage>;
export type MouseMessage = z.infer<typeof mouse>;
export type TouchMessage = z.infer<typeof touch>;
export type KeyMessage = z.infer<typeof key>;
/** Size of the page in CSS pixels, and the number of picture pixels for each. */
export type ViewSize = Omit<z.infer<typeof size>, "type">;

/** Announces the picture in the next binary message. */
export interface FrameMessage {
  type: "frame";
  frame: number;
  /** Size of the page in CSS pixels, not of the picture. */
  width: number;
  height: number;
  format: "jpeg" | "webp";
  /** Whether it is a sharp picture of a page that has come to rest. */
  still: boolean;
}

/** Who used the tab within the last two seconds. */
export interface Driver {
  who: "user" | "agent" | null;
  agentId: string | null;
}

/** A dialog that a page opened with `alert`, `confirm`, `prompt` or `beforeunload`. */
export interface PageDialog {
  kind: "alert" | "confirm" | "prompt" | "beforeunload";
  message: string;
  defaultText: string;
}

/** A page asks for files. */
export interface FileRequest {
  /** Whether it takes more than one. */
  multiple: boolean;
}

/** The element that a person points at. */
export interface PointedElement {
  /** Where it is in the picture, in CSS pixels. */
  box: Box;
}

/** The element that a person has picked, with what an annotation keeps of it. */
export interface PickedElement {
  url: string;
  title: string;
  selector: string;
  text: string;
  /** Its tag, and its id if that is stable. */
  label: string;
  styles: { name: string; value: string }[];
  /** Where it is in the picture, in CSS pixels. */
  shown: Box;
  /** Where it is in its page, in CSS pixels. */
  box: Box;
}

/** What a tab shows, as text. */
export interface ViewedPage {
  url: string;
  title: string;
  loading: boolean;
  canGoBack: boolean;
  canGoForward: boolean;
  ownerAgentId: string | null;
  /** Why it does not show its page, and what to do; `null` if it does. */
  problem: string | null;
}

/** Messages to a viewer, besides pictures. */
export type ViewMessage =
  | { type: "page"; page: ViewedPage }
  | { type: "dialog"; dialog: PageDialog | null }
  | { type: "files"; request: FileRequest | null }
  | { type: "find"; count: number }
  | { type: "pointed"; element: PointedElement | null }
  /** `problem` says why there is no element, as text for the person. */
  | { type: "picked"; element: PickedElement | null; problem: string | null }
  | { type: "copied"; text: string }
  | ({ type: "driver" } & Driver)
  | { type: "gone" };
