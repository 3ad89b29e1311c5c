const MAX_DISTANCE = 2;

/** The end of a sentence about an unknown word: suggests the most similar known word, if one is close. */
export function suggest(word: string, known: readonly string[]): string {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: countEdits(word, candidate) }))
    .filter(
      ({ candidate, distance }) =>
        distance <= MAX_DISTANCE && distance < candidate.length,
    )
    .sort((a, b) => a.distance - b.distance);
  return nearest ? `; did you mean "${nearest.candidate}"?` : ".";
}

/** Levenshtein distance: letters to insert, remove or replace to turn one word into the other. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced =
        (row[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
      next[column] = Math.min(
        replaced,
        (row[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
      );
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
