/** A map with another mark, which comes last; `undefined` takes it off. */
export function withMark(
  marks: ReadonlyMap<string, string>,
  path: string,
  mark: string | undefined,
): ReadonlyMap<string, string> {
  const next = new Map(marks);
  next.delete(path);
  if (mark !== undefined) next.set(path, mark);
  return next;
}
