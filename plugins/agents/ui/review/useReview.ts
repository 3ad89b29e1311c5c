import { createKey } from "@gantry/ui-kit";
import {
  inject,
  provide,
  shallowRef,
  watch,
  type InjectionKey,
  type Ref,
} from "vue";
import { keepReview, keepSeen, readReview, readSeen } from "./keptReview.ts";
import {
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
  /** Adds a comment, or puts it in place of the one with its id; one without text is removed. */
  write(comment: Omit<ReviewComment, "id"> & { id?: string | undefined }): void;
  /** Moves comments to where their lines are now. */
  move(comments: readonly ReviewComment[]): void;
  /** The codes of the changed lines of a file when it was viewed, as far as they are kept. */
  seenOf(path: string): string | undefined;
  /** Takes the mark off where there is no digest. */
  markViewed(path: string, digest?: string, codes?: string): void;
  discard(): void;
  /** Sends all comments to the agent as one message. They stay if it is not taken. */
  send(): Promise<void>;
}

const keyOf = ({ path, side, line, lost = "" }: LinePlace) =>
  `${side} ${line} ${lost} ${path}`;

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
  const seen = shallowRef(readSeen(agentId));
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
    write(comment) {
      const { id = createKey() } = comment;
      const others = comments.value.filter((other) => other.id !== id);
      comments.value =
        comment.text.trim() === "" ? others : [...others, { ...comment, id }];
    },
    move(moved) {
      const byId = new Map(moved.map((comment) => [comment.id, comment]));
      comments.value = comments.value.map(
        (comment) => byId.get(comment.id) ?? comment,
      );
    },
    seenOf: (path) => seen.value.get(path),
    markViewed(path, digest, codes) {
      viewed.value = withMark(viewed.value, path, digest);
      seen.value = keepSeen(agentId, withMark(seen.value, path, codes));
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

/** The last mark is the newest. */
function withMark(
  marks: ReadonlyMap<string, string>,
  path: string,
  mark: string | undefined,
): ReadonlyMap<string, string> {
  const next = new Map(marks);
  next.delete(path);
  if (mark !== undefined) next.set(path, mark);
  return next;
}

/** Takes it in a part of the page; `undefined` where changes are shown that cannot be reviewed. */
export function injectReview(): Review | undefined {
  return inject(reviewKey, undefined);
}
