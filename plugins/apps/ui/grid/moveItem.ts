/** The list with the item at `from` moved to `to`; places out of range are the nearest that there is. */
export function moveItem<Item>(
  items: readonly Item[],
  from: number,
  to: number,
): Item[] {
  const target = Math.max(0, Math.min(to, items.length - 1));
  const moved = [...items];
  moved.splice(target, 0, ...moved.splice(from, 1));
  return moved;
}
