/** A CLI that reports what cannot be true. */
export class ReportFault extends Error {}

/** Differences of floating point numbers leave dust; a billionth of a dollar is more than any price list has. */
export function roundMoney(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

/**
 * Checks an amount of money or tokens that a CLI reported.
 *
 * @throws ReportFault if it is no number, infinite or negative.
 */
export function checkAmount(value: unknown, what: string): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
    throw new ReportFault(
      `It reported ${what} of ${JSON.stringify(value)}, which cannot be.`,
    );
  }
  return value;
}

/** Turns the running total that a CLI reports into what was spent since the report before. */
export class CostMeter {
  #total: number | null;
  /** Whether this process has reported yet: only before that may the total begin anew. */
  #reported = false;

  /** `carried` is the total that an earlier process of the conversation reported last. */
  constructor(carried: number | null) {
    this.#total = carried;
  }

  get total(): number | null {
    return this.#total;
  }

  /** Takes a total that is not spending of ours, such as the one that comes with a conversation that was loaded. */
  rebase(total: number): void {
    this.#total = total;
    this.#reported = true;
  }

  /**
   * Gives the difference to the report before.
   *
   * @throws ReportFault if the total shrinks within one process.
   */
  spent(total: number): number {
    const before = this.#total ?? 0;
    // Some CLIs carry the total of a conversation over a restart, some begin at 0 again.
    const startedAnew = !this.#reported && total < before;
    if (!startedAnew && total < before) {
      throw new ReportFault(
        `Its running cost shrank from ${before} to ${total}, which cannot be.`,
      );
    }
    this.#total = total;
    this.#reported = true;
    return roundMoney(startedAnew ? total : total - before);
  }
}
