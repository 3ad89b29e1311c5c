import type { AnnotationDraft } from "./annotationDraft.ts";

/** One draft for all tabs, so that it is found again after its tab was closed. */
const KEY = "gantry-browser-annotation";

/** The annotation that was being written when the page was left; `undefined` if there is none. */
export function readDraft(): AnnotationDraft | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "null") as unknown;
    return isDraft(stored) ? stored : undefined;
  } catch {
    // What another version wrote, or a browser that stores nothing.
    return undefined;
  }
}

/** Keeps a draft until it is saved or discarded. */
export function writeDraft(draft: AnnotationDraft | undefined): void {
  try {
    if (draft) localStorage.setItem(KEY, JSON.stringify(draft));
    else localStorage.removeItem(KEY);
  } catch {
    // A browser that stores nothing, or no more, forgets it with the page.
  }
}

function isDraft(value: unknown): value is AnnotationDraft {
  const { element, comment } = (value ?? {}) as Partial<AnnotationDraft>;
  return typeof comment === "string" && typeof element?.selector === "string";
}
