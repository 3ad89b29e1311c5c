import { ToolProblem } from "./tool-problem.ts";

/** Calls of one session that run concurrently. */
export const MAX_CALLS_IN_FLIGHT = 8;
/** Calls of one session that are queued. */
export const MAX_CALLS_QUEUED = 64;

/** Runs the calls of one session of an agent in order, a limited number at a time. */
export class CallQueue {
  #inFlight = 0;
  readonly #waiting: (() => void)[] = [];

  /**
   * Queues `work` and runs it in its turn. Work that is aborted while queued never runs.
   *
   * @throws ToolProblem when the queue is full
   */
  async run<Result>(
    work: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    if (this.#inFlight >= MAX_CALLS_IN_FLIGHT) {
      if (this.#waiting.length >= MAX_CALLS_QUEUED)
        throw new ToolProblem(
          `Too many calls at once: ${MAX_CALLS_IN_FLIGHT} run and ${MAX_CALLS_QUEUED} wait. Call again when some have been answered.`,
        );
      await this.#turn(signal);
    } else this.#inFlight += 1;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The slot is passed directly to the next call, so that no other call takes it in between.
      if (next) next();
      else this.#inFlight -= 1;
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        const place = this.#waiting.indexOf(begin);
        if (place === -1) return;
        this.#waiting.splice(place, 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(begin);
      if (signal.aborted) leave();
    });
  }
}
