/** Scroll position of a box. */
export interface ScrollPlace {
  top: number;
  /** Height of the viewport. */
  view: number;
  /** Height of the content. */
  whole: number;
}

/** Distance in pixels within which the box counts as scrolled to its end. */
const END_TOLERANCE = 32;

/** Returns whether the end is in view. */
export function isAtEnd({ top, view, whole }: ScrollPlace): boolean {
  return top + view >= whole - END_TOLERANCE;
}

/**
 * Returns whether a list sticks to its end after a scroll event. Only scrolling up releases it: content that grows below also
 * moves the end away, but not by an action of the user.
 */
export function staysAtEnd(
  wasHeld: boolean,
  before: ScrollPlace,
  after: ScrollPlace,
): boolean {
  if (isAtEnd(after)) return true;
  return wasHeld && after.top >= before.top - 1;
}

/** Returns whether the start is near enough to load older rows. */
export function isNearBeginning({ top, view }: ScrollPlace): boolean {
  return top < view * 2;
}
