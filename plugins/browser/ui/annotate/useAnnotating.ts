import { api, toApiError } from "@gantry/ui-kit";
import { shallowRef, type ShallowRef } from "vue";
import type {
  Box,
  PickAnswer,
  Point,
  ViewerMessage,
  ViewMessage,
} from "../live/viewMessages.ts";
import type { Annotation } from "../wire.ts";
import { readDraft, writeDraft } from "./storedDraft.ts";
import type { AnnotationDraft } from "./annotationDraft.ts";

/** Options of {@link useAnnotating}. */
export interface AnnotatingOptions {
  send(message: ViewerMessage): void;
  /** Cuts an element out of the picture that is shown. */
  crop(box: Box): string | null;
}

/** Annotations of one tab, from pointing at an element to saving the comment. */
export interface Annotating {
  /** Whether the pointer picks elements. Nothing is lost when it ends. */
  readonly isActive: ShallowRef<boolean>;
  /** Where the element under the pointer is in the picture. */
  readonly outline: Readonly<ShallowRef<Box | undefined>>;
  readonly draft: Readonly<ShallowRef<AnnotationDraft | undefined>>;
  /** Annotations that were saved here and are not sent. */
  readonly saved: Readonly<ShallowRef<readonly Annotation[]>>;
  /** Why the last element was not read, or the draft was not saved. */
  readonly problem: Readonly<ShallowRef<string | undefined>>;
  readonly pending: Readonly<ShallowRef<"pick" | "save" | undefined>>;
  point(at: Point): void;
  pick(at: Point): void;
  receive(message: Extract<ViewMessage, { type: "pointed" | "picked" }>): void;
  /** The elements of the page are not where they were. */
  moved(): void;
  /** Answers that have not arrived will not. */
  disconnected(): void;
  write(comment: string): void;
  discard(): void;
  /** Saves the draft. Returns whether there is none left. Never rejects. */
  save(): Promise<boolean>;
  /** Notes that what was saved here was sent. */
  sent(): void;
  close(): void;
}

const LOST =
  "The connection was lost before the element was read. Pick it again.";

/** Creates the state of annotating a tab. A draft that was not saved the last time is opened again. */
export function useAnnotating(options: AnnotatingOptions): Annotating {
  const draft = shallowRef(readDraft());
  const isActive = shallowRef(draft.value !== undefined);
  const outline = shallowRef<Box>();
  const saved = shallowRef<readonly Annotation[]>([]);
  const problem = shallowRef<string>();
  const pending = shallowRef<"pick" | "save">();
  /** The page is asked about one point at a time, and then about the newest. */
  let isAsking = false;
  let next: Point | undefined;

  function set(changed: AnnotationDraft | undefined): void {
    draft.value = changed;
    writeDraft(changed);
  }
  function point(at: Point): void {
    if (isAsking) {
      next = at;
      return;
    }
    isAsking = true;
    options.send({ type: "point", ...at });
  }
  function receivePicked({ element, problem: reason }: PickAnswer): void {
    if (pending.value === "pick") pending.value = undefined;
    problem.value = reason ?? undefined;
    if (!element) return;
    outline.value = element.shown;
    // What was written belongs to the person, who may have aimed at the wrong element first.
    const comment = draft.value?.comment ?? "";
    set({ element, screenshot: options.crop(element.shown), comment });
  }

  return {
    ...{ isActive, outline, draft, saved, problem, pending },
    point,
    pick(at) {
      // While a draft is saved it cannot become that of another element.
      if (pending.value !== undefined) return;
      pending.value = "pick";
      problem.value = undefined;
      options.send({ type: "pick", ...at });
    },
    receive(message) {
      if (message.type === "picked") return receivePicked(message);
      isAsking = false;
      if (isActive.value) outline.value = message.element?.box;
      const at = next;
      next = undefined;
      if (at) point(at);
    },
    moved: () => void (outline.value = undefined),
    disconnected() {
      isAsking = false;
      next = undefined;
      outline.value = undefined;
      if (pending.value !== "pick") return;
      pending.value = undefined;
      problem.value = LOST;
    },
    write(comment) {
      if (draft.value) set({ ...draft.value, comment });
    },
    discard() {
      set(undefined);
      problem.value = undefined;
      outline.value = undefined;
    },
    async save() {
      if (!draft.value) return true;
      pending.value = "save";
      problem.value = undefined;
      const { element, screenshot, comment } = draft.value;
      const { url, title, selector, text, styles, box } = element;
      try {
        const annotation = await api.post<Annotation>(
          "/api/browser/annotations",
          {
            body: {
              ...{ url, title, selector, text, styles, box, screenshot },
              comment: comment.trim(),
            },
          },
        );
        saved.value = [...saved.value, annotation];
        set(undefined);
        outline.value = undefined;
        return true;
      } catch (thrown) {
        problem.value = toApiError(thrown).detail;
        return false;
      } finally {
        pending.value = undefined;
      }
    },
    sent: () => void (saved.value = []),
    close() {
      isActive.value = false;
      outline.value = undefined;
    },
  };
}
