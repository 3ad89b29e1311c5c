import { computed, watch, type ComputedRef } from "vue";
import type { DiffFile } from "../repository/diffFile.ts";
import { findNewLines } from "./digestLines.ts";
import { placeComments, type PlacedComments } from "./placeComments.ts";
import { placeOf, toExcerpt, type ReviewComment } from "./reviewComment.ts";
import type { Review } from "./useReview.ts";

/** A file of a patch with what the user's review has of it. */
export interface ReviewedFile extends PlacedComments {
  file: DiffFile;
  isViewed: boolean;
  /** It was viewed, and has changed since. */
  hasChangedSince: boolean;
  /** The lines that were changed since it was viewed; `undefined` where that is not known. */
  newLines: ReadonlySet<number> | undefined;
}

const NO_COMMENTS: PlacedComments = { placed: new Map(), lost: [] };

/** Joins files with the review, and moves the comments to where their lines are now. */
export function useReviewedFiles(
  files: ComputedRef<readonly DiffFile[]>,
  review: () => Review | undefined,
): ComputedRef<readonly ReviewedFile[]> {
  const byPath = computed(() => {
    const found = new Map<string, ReviewComment[]>();
    for (const comment of review()?.comments.value ?? []) {
      const { path } = comment;
      found.set(path, [...(found.get(path) ?? []), comment]);
    }
    return found;
  });
  const reviewed = computed(() =>
    files.value.map((file): ReviewedFile => {
      const { path, lines } = file;
      const viewed = review()?.viewed.value.get(path);
      const seen = review()?.seenOf(path);
      const isViewed = viewed !== undefined && viewed === file.digest();
      const hasChangedSince = viewed !== undefined && !isViewed;
      const comments = byPath.value.get(path);
      return {
        ...(comments ? placeComments(comments, lines) : NO_COMMENTS),
        ...{ file, isViewed, hasChangedSince },
        newLines:
          hasChangedSince && seen !== undefined
            ? findNewLines(lines, seen)
            : undefined,
      };
    }),
  );
  watch(
    reviewed,
    (now) => {
      const moved = now.flatMap(({ file, placed }) =>
        [...placed].flatMap(([line, comment]) =>
          followLine(file, line, comment),
        ),
      );
      if (moved.length > 0) review()?.move(moved);
    },
    { immediate: true },
  );
  return reviewed;
}

/** The comment at the place where its line is now, if that is another. */
function followLine(
  { path, lines }: DiffFile,
  index: number,
  comment: ReviewComment,
): ReviewComment[] {
  const line = lines[index];
  const place = line && placeOf(path, line);
  return !place || place.line === comment.line
    ? []
    : [{ ...comment, ...place, excerpt: toExcerpt(lines, index) }];
}
