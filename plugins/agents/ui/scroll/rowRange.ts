/** Rows of a list, from `start` to before `end`. */
export interface RowRange {
  start: number;
  end: number;
}

export function isSameRange(left: RowRange, right: RowRange): boolean {
  return left.start === right.start && left.end === right.end;
}

/**
 * The rows to draw next. A row can take longer than a frame, so that those out of view come one by one while there is time
 * for them.
 *
 * @param drawn What is drawn now.
 * @param view What has to be drawn at once, inside of `wide`.
 * @param wide What is to be drawn in the end.
 */
export function growRange(
  drawn: RowRange,
  view: RowRange,
  wide: RowRange,
): RowRange {
  const isElsewhere = drawn.end <= view.start || view.end <= drawn.start;
  if (isElsewhere) return view;
  return {
    start: Math.max(wide.start, Math.min(view.start, drawn.start - 1)),
    end: Math.min(wide.end, Math.max(view.end, drawn.end + 1)),
  };
}
