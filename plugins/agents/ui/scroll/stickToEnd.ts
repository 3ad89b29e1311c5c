/** Where a scrolled box is. */
export interface ScrollPlace {
  top: number;
  /** Height of what is seen. */
  view: number;
  /** Height of everything. */
  whole: number;
}

/** What of a place counts as its end. */
const nearEnd = 32;

/** Tells whether the end is in view. */
export function isAtEnd({ top, view, whole }: ScrollPlace): boolean {
  return top + view >= whole - nearEnd;
}

/**
 * Tells whether a list that was (or was not) held at its end is held there after it was scrolled. Only a move upwards
 * lets go: what grows below moves the end away, which is not the reader's doing.
 */
export function staysAtEnd(
  wasHeld: boolean,
  before: ScrollPlace,
  after: ScrollPlace,
): boolean {
  if (isAtEnd(after)) return true;
  return wasHeld && after.top >= before.top - 1;
}

/** Tells whether the beginning of what was read is so near that more has to be read. */
export function isNearBeginning({ top, view }: ScrollPlace): boolean {
  return top < view * 2;
}
