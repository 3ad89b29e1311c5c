/** Differences of floating point numbers leave dust; a billionth of a dollar is more than any price list has. */
export function roundMoney(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

/** Largest amount of money or tokens that can be meant; sums and differences of these stay exact enough. */
const MAX_AMOUNT = 1e15;
/** Longest text that is read as a number. */
const MAX_DIGITS = 40;

/**
 * Reads an amount of money or tokens that a CLI reported, as a number or as a text that is one. `null` for everything
 * else: figures are told beside the work, and decide neither whether a turn ends nor whether a process lives.
 */
export function readAmount(value: unknown): number | null {
  const isDigits =
    typeof value === "string" &&
    value.length <= MAX_DIGITS &&
    /^\s*\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(value);
  const amount = isDigits ? Number(value) : value;
  if (typeof amount !== "number" || !(amount >= 0 && amount <= MAX_AMOUNT))
    return null;
  // Not -0, which some comparisons take for another value.
  return amount === 0 ? 0 : amount;
}

/** The sum of the amounts that can be read; `null` if none can. */
export function sumAmounts(values: readonly unknown[]): number | null {
  const amounts = values
    .map(readAmount)
    .filter((amount): amount is number => amount !== null);
  return amounts.length === 0
    ? null
    : amounts.reduce((sum, amount) => sum + amount, 0);
}

/** Turns the running total that a CLI reports into what was spent since the report before. */
export class CostMeter {
  #total: number | null;

  /** `carried` is the total that an earlier process of the conversation reported last. */
  constructor(carried: number | null) {
    this.#total = carried;
  }

  /** The total that could be read last. */
  get total(): number | null {
    return this.#total;
  }

  /** Takes a total that is not spending of ours, such as the one that comes with a conversation that was loaded. */
  rebase(reported: unknown): void {
    this.#total = readAmount(reported) ?? this.#total;
  }

  /**
   * Gives the difference to the report before; `null` for a total that cannot be read. A lower one started again at 0, as with a
   * new process or after a compaction.
   */
  spent(reported: unknown): number | null {
    const total = readAmount(reported);
    if (total === null) return null;
    const before = this.#total ?? 0;
    this.#total = total;
    return roundMoney(total < before ? total : total - before);
  }
}
