import type { PickedElement } from "../live/viewMessages.ts";

/** An element that was picked, with the comment that is being written. */
export interface AnnotationDraft {
  element: PickedElement;
  /** Its picture as a data URL; `null` if there is none. */
  screenshot: string | null;
  comment: string;
}
