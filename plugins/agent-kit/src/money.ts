/** A CLI reported an impossible amount. */
export class ReportFault extends Error {}

/** Removes rounding errors of floating point differences; no price list is finer than a billionth of a dollar. */
export function roundMoney(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

/**
 * Checks an amount of money or tokens that a CLI reported.
 *
 * @throws ReportFault if it is not a number, infinite or negative.
 */
export function checkAmount(value: unknown, what: string): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
    throw new ReportFault(
      `It reported ${what} of ${JSON.stringify(value)}, which is impossible.`,
    );
  }
  return value;
}

/** Converts the running total that a CLI reports into the spending since the previous report. */
export class CostMeter {
  #total: number | null;
  /** Whether this process has reported yet: only before that may the total restart at 0. */
  #reported = false;

  /** `carried` is the last total that an earlier process of the conversation reported. */
  constructor(carried: number | null) {
    this.#total = carried;
  }

  get total(): number | null {
    return this.#total;
  }

  /** Sets the baseline to a total that is not our spending, such as that of a loaded conversation. */
  rebase(total: number): void {
    this.#total = total;
    this.#reported = true;
  }

  /**
   * Returns the difference from the previous report.
   *
   * @throws ReportFault if the total shrinks within one process.
   */
  spent(total: number): number {
    const before = this.#total ?? 0;
    // Some CLIs continue the total of a conversation after a restart, others start at 0.
    const startedAnew = !this.#reported && total < before;
    if (!startedAnew && total < before) {
      throw new ReportFault(
        `Its running cost shrank from ${before} to ${total}, which is impossible.`,
      );
    }
    this.#total = total;
    this.#reported = true;
    return roundMoney(startedAnew ? total : total - before);
  }
}
