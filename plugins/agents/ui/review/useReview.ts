import {
  inject,
  provide,
  shallowRef,
  watch,
  type InjectionKey,
  type Ref,
} from "vue";
import { createComments, type Comments } from "./createComments.ts";
import { keepReview, keepSeen, readReview, readSeen } from "./keptReview.ts";
import { toReviewMessage } from "./reviewComment.ts";
import { withMark } from "./withMark.ts";

/** The user's review of an agent's changes: what was viewed, and comments that were not sent yet. */
export interface Review extends Omit<Comments, "removeSent"> {
  /** By the path of a file, the digest of its changes when they were viewed. */
  readonly viewed: Readonly<Ref<ReadonlyMap<string, string>>>;
  readonly isSending: Readonly<Ref<boolean>>;
  /** The codes of the changed lines of a file when it was viewed, as far as they are kept. */
  seenOf(path: string): string | undefined;
  /** Takes the mark off where there is no digest. */
  markViewed(path: string, digest?: string, codes?: string): void;
  /** Removes all comments that were added. */
  discard(): void;
  /** Sends all of them to the agent as one message. They stay if it is not taken. */
  send(): Promise<void>;
}

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
  const own = createComments(kept);
  const { added, comments, drafts } = own;
  const viewed = shallowRef(kept.viewed);
  const seen = shallowRef(readSeen(agentId));
  const isSending = shallowRef(false);
  watch([comments, drafts, viewed], () =>
    keepReview(agentId, {
      comments: comments.value,
      drafts: drafts.value,
      viewed: viewed.value,
    }),
  );
  provide(reviewKey, {
    ...own,
    viewed,
    isSending,
    seenOf: (path) => seen.value.get(path),
    markViewed(path, digest, codes) {
      viewed.value = withMark(viewed.value, path, digest);
      seen.value = keepSeen(agentId, withMark(seen.value, path, codes));
    },
    discard() {
      for (const { id } of added.value) own.remove(id);
    },
    async send() {
      if (isSending.value || added.value.length === 0) return;
      isSending.value = true;
      const sent = added.value;
      try {
        if (await deliver(toReviewMessage(sent))) own.removeSent(sent);
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
