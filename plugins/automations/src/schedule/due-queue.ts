/** Something that is due at a time. */
interface Node<Item> {
  at: number;
  order: number;
  item: Item;
}

/** Items in the order of the time at which they are due; of equal times, in the order in which they were added. */
export interface DueQueue<Item> {
  add(at: number, item: Item): void;
  /** The first item that still counts, and its time. */
  first(): { at: number; item: Item } | undefined;
  /** Takes the first item out. */
  take(): Item | undefined;
}

/**
 * Makes a queue on a binary heap. Items are not taken out when they no longer count: that is found out when their turn
 * comes, and all of them go when they outnumber the others.
 *
 * @param counts Whether an item that was added for a time still counts.
 */
export function createDueQueue<Item>(
  counts: (item: Item, at: number) => boolean,
): DueQueue<Item> {
  let heap: Node<Item>[] = [];
  let order = 0;
  let sizeAfterSweep = 0;

  const isBefore = (one: Node<Item>, other: Node<Item>) =>
    one.at < other.at || (one.at === other.at && one.order < other.order);

  function swap(one: number, other: number): void {
    const node = heap[one]!;
    heap[one] = heap[other]!;
    heap[other] = node;
  }

  function rise(index: number): void {
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(heap[index]!, heap[parent]!)) return;
      swap(index, parent);
      index = parent;
    }
  }

  function sink(index: number): void {
    for (;;) {
      let least = index;
      for (const child of [2 * index + 1, 2 * index + 2])
        if (child < heap.length && isBefore(heap[child]!, heap[least]!))
          least = child;
      if (least === index) return;
      swap(index, least);
      index = least;
    }
  }

  function drop(): void {
    const last = heap.pop();
    if (last && heap.length > 0) {
      heap[0] = last;
      sink(0);
    }
  }

  function sweep(): void {
    if (heap.length < 2 * sizeAfterSweep + 64) return;
    heap = heap
      .filter(({ item, at }) => counts(item, at))
      .sort((one, other) => (isBefore(one, other) ? -1 : 1));
    sizeAfterSweep = heap.length;
  }

  function first(): { at: number; item: Item } | undefined {
    while (heap[0] && !counts(heap[0].item, heap[0].at)) drop();
    return heap[0];
  }

  return {
    first,
    add(at, item) {
      sweep();
      heap.push({ at, order: order++, item });
      rise(heap.length - 1);
    },
    take() {
      const found = first();
      if (found) drop();
      return found?.item;
    },
  };
}
