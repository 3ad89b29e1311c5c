/** A rectangle of the page in CSS pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What the page reports about an element, before the user has commented on it. */
export interface AnnotationDraft {
  url: string;
  title: string;
  selector: string;
  text: string;
  html: string;
  styles: { name: string; value: string }[];
  box: Box;
  /** The element's picture as a data URL of a PNG; `null` if there is none. */
  screenshot: string | null;
}
