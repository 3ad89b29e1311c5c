/** Numbers that look like chance and follow from a seed, so that a failure can be seen again. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True with a probability. */
  chance(probability: number): boolean;
  /** A number of different numbers from 0 to `to`, in order. */
  some(count: number, to: number): number[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const integer = (low: number, high: number) =>
    low + Math.floor(next() * (high - low + 1));
  return {
    integer,
    pick: (items) => items[integer(0, items.length - 1)]!,
    chance: (probability) => next() < probability,
    some(count, to) {
      const found = new Set<number>();
      while (found.size < count) found.add(integer(0, to));
      return [...found].sort((one, other) => one - other);
    },
  };
}
