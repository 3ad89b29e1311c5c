import { createKey } from "@gantry/ui-kit";
import {
  inject,
  provide,
  shallowRef,
  watch,
  type InjectionKey,
  type Ref,
} from "vue";
import { keepReview, readReview } from "./keptReview.ts";
import {
  isSamePlace,
  toReviewMessage,
  type LinePlace,
  type ReviewComment,
} from "./reviewComment.ts";

/** The user's review of an agent's changes: what was viewed, and comments that were not sent yet. */
export interface Review {
  readonly comments: Readonly<Ref<readonly ReviewComment[]>>;
  /** By the path of a file, the digest of its changes when they were viewed. */
  readonly viewed: Readonly<Ref<ReadonlyMap<string, string>>>;
  /** The line whose comment is being written. */
  readonly writing: Readonly<Ref<LinePlace | undefined>>;
  readonly isSending: Readonly<Ref<boolean>>;
  /** Opens the field for a comment on a line, or closes the one that is open. */
  beginWriting(place: LinePlace | undefined): void;
  /** What is in the field of a line, or was when it was closed without a decision. */
  draftAt(place: LinePlace): string | undefined;
  /** `undefined` forgets it. */
  setDraft(place: LinePlace, text: string | undefined): void;
  commentAt(place: LinePlace): ReviewComment | undefined;
  /** Puts a comment at its place; one without text is removed. */
  write(comment: Omit<ReviewComment, "id">): void;
  markViewed(path: string, digest: string | undefined): void;
  discard(): void;
  /** Sends all comments to the agent as one message. They stay if it is not taken. */
  send(): Promise<void>;
}

const keyOf = ({ path, side, line }: LinePlace) => `${side} ${line} ${path}`;

const reviewKey: InjectionKey<Review> = Symbol("gantry-agents-review");

/**
 * Makes it for the page of an agent and gives it to what is shown on it. The browser keeps it until the comments are sent.
 *
 * @param deliver Sends a message to the agent, and tells whether it was taken.
 */
export function provideReview(
  agentId: string,
  deliver: (text: string) => Promise<boolean>,
): void {
  const kept = readReview(agentId);
  const comments = shallowRef(kept.comments);
  const viewed = shallowRef(kept.viewed);
  const isSending = shallowRef(false);
  const writing = shallowRef<LinePlace>();
  const drafts = shallowRef<ReadonlyMap<string, string>>(new Map());
  watch([comments, viewed], () =>
    keepReview(agentId, { comments: comments.value, viewed: viewed.value }),
  );
  provide(reviewKey, {
    comments,
    viewed,
    isSending,
    writing,
    beginWriting: (place) => (writing.value = place),
    draftAt: (place) => drafts.value.get(keyOf(place)),
    setDraft(place, text) {
      const next = new Map(drafts.value);
      if (text === undefined) next.delete(keyOf(place));
      else next.set(keyOf(place), text);
      drafts.value = next;
    },
    commentAt: (place) =>
      comments.value.find((comment) => isSamePlace(comment, place)),
    write(comment) {
      const others = comments.value.filter(
        (other) => !isSamePlace(other, comment),
      );
      comments.value =
        comment.text.trim() === ""
          ? others
          : [...others, { ...comment, id: createKey() }];
    },
    markViewed(path, digest) {
      const marks = new Map(viewed.value);
      marks.delete(path);
      if (digest !== undefined) marks.set(path, digest);
      viewed.value = marks;
    },
    discard: () => (comments.value = []),
    async send() {
      if (isSending.value || comments.value.length === 0) return;
      isSending.value = true;
      const sent = comments.value;
      try {
        if (await deliver(toReviewMessage(sent)))
          comments.value = comments.value.filter(
            (comment) => !sent.includes(comment),
          );
      } finally {
        isSending.value = false;
      }
    },
  });
}

/** Takes it in a part of the page; `undefined` where changes are shown that cannot be reviewed. */
export function injectReview(): Review | undefined {
  return inject(reviewKey, undefined);
}
