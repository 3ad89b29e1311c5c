import { createKey } from "@gantry/ui-kit";
import { computed, shallowRef, type ComputedRef, type Ref } from "vue";
import type { ReviewComment } from "./reviewComment.ts";
import { withMark } from "./withMark.ts";

/** Comments on changed lines that were not sent yet. */
export interface Comments {
  /** Those that were added, and those that were only begun. */
  readonly comments: Readonly<Ref<readonly ReviewComment[]>>;
  /** Those that are sent. */
  readonly added: ComputedRef<readonly ReviewComment[]>;
  /** What was written into the field of a comment and not added yet, by its id. */
  readonly drafts: Readonly<Ref<ReadonlyMap<string, string>>>;
  /** The id of the comment whose field is open. */
  readonly writing: Readonly<Ref<string | undefined>>;
  /** Opens the field of a comment, or of a new one on a line, in place of the one that is open. */
  beginWriting(comment: BegunComment | ReviewComment): void;
  /** Keeps what is in the field of a comment. */
  setDraft(id: string, words: string): void;
  /** Closes the field and adds what is in it; nothing in it removes the comment. */
  add(id: string): void;
  /** Closes the field and leaves the comment as it was before. */
  cancel(id: string): void;
  remove(id: string): void;
  /** Moves comments to where their lines are now. */
  move(comments: readonly ReviewComment[]): void;
  /** Removes those that still read as they were sent. What was written since stays. */
  removeSent(sent: readonly ReviewComment[]): void;
}

/** A line on which a comment begins. */
export type BegunComment = Omit<ReviewComment, "id" | "text">;

/** Makes them of those that were kept. */
export function createComments(kept: {
  comments: readonly ReviewComment[];
  drafts: ReadonlyMap<string, string>;
}): Comments {
  const comments = shallowRef(kept.comments);
  const drafts = shallowRef(kept.drafts);
  const writing = shallowRef<string>();
  const added = computed(() =>
    comments.value.filter(({ text }) => text !== ""),
  );

  /** Gives a comment another text; one with neither a text nor a draft is removed. */
  function setText(id: string, toText: (before: string) => string): void {
    comments.value = comments.value.flatMap((comment) => {
      if (comment.id !== id) return [comment];
      const text = toText(comment.text);
      return text === "" && !drafts.value.has(id) ? [] : [{ ...comment, text }];
    });
  }

  /** Closes the field of a comment, which has another text from then on. */
  function end(id: string, toText: (before: string) => string): void {
    drafts.value = withMark(drafts.value, id, undefined);
    if (writing.value === id) writing.value = undefined;
    setText(id, toText);
  }

  return {
    ...{ comments, added, drafts, writing },
    beginWriting(comment) {
      if (writing.value !== undefined) setText(writing.value, (text) => text);
      const id = "id" in comment ? comment.id : createKey();
      if (!("id" in comment))
        comments.value = [...comments.value, { ...comment, id, text: "" }];
      writing.value = id;
    },
    setDraft(id, words) {
      // An empty field of one that was added means that it is to be removed.
      const isDraft = words !== "" || added.value.some((one) => one.id === id);
      drafts.value = withMark(drafts.value, id, isDraft ? words : undefined);
    },
    add: (id) => {
      const words = drafts.value.get(id)?.trim();
      end(id, (text) => words ?? text);
    },
    cancel: (id) => end(id, (text) => text),
    remove: (id) => end(id, () => ""),
    move(moved) {
      const byId = new Map(moved.map((comment) => [comment.id, comment]));
      comments.value = comments.value.map(
        (comment) => byId.get(comment.id) ?? comment,
      );
    },
    removeSent(sent) {
      for (const { id, text } of sent)
        setText(id, (now) => (now === text ? "" : now));
    },
  };
}
