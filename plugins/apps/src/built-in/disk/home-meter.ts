import type { PluginContext } from "@gantry/plugin";
import { createUsage, measureFiles, measureStore } from "./home-usage.ts";
import type { HomeUsage } from "./home-usage.ts";

/** Time for which a measurement is shown again. */
const KEPT_MS = 10_000;
/** The same for one that was given up: the next would take as long. */
const KEPT_INCOMPLETE_MS = 5 * 60_000;
/** Time that a page waits for a measurement. */
const WAIT_MS = 1_500;
/** Time after which a measurement is given up. */
const MAX_MEASURING_MS = 60_000;

/** Dependencies of {@link HomeMeter}. */
export type MeterHost = Pick<
  PluginContext,
  "home" | "wholeHome" | "clock" | "log" | "signal"
>;

/** What is known of a home. */
export interface Reading {
  usage: HomeUsage;
  /** Whether all of it was measured. */
  isComplete: boolean;
  /** Whether it is as complete as it gets. */
  isOver: boolean;
}

interface Measurement extends Reading {
  startedAt: number;
  done: Promise<void>;
}

/** Measures a home in the background, one measurement at a time. */
export class HomeMeter {
  readonly #host: MeterHost;
  #current: Measurement | undefined;
  /** The newest that is complete, shown while the next is made. */
  #last: Measurement | undefined;

  constructor(host: MeterHost) {
    this.#host = host;
  }

  /** What the home holds now or held some seconds ago; what is known so far if that takes longer. */
  async read(): Promise<Reading> {
    const { clock } = this.#host;
    let measurement = this.#current;
    const isOld = ({ startedAt, isOver, isComplete }: Measurement) =>
      isOver &&
      clock.monotonic() - startedAt >=
        (isComplete ? KEPT_MS : KEPT_INCOMPLETE_MS);
    if (!measurement || isOld(measurement)) measurement = this.#start();
    if (!measurement.isOver) await this.#waitFor(measurement.done);
    return measurement.isOver ? measurement : (this.#last ?? measurement);
  }

  /** Drops the last measurement, after something was removed. */
  forget(): void {
    this.#current = undefined;
    this.#last = undefined;
  }

  #start(): Measurement {
    const measurement: Measurement = {
      usage: createUsage(),
      isComplete: false,
      startedAt: this.#host.clock.monotonic(),
      isOver: false,
      done: Promise.resolve(),
    };
    measurement.done = this.#measure(measurement);
    this.#current = measurement;
    return measurement;
  }

  async #measure(measurement: Measurement): Promise<void> {
    const { home, wholeHome, clock, log, signal } = this.#host;
    const limit = new AbortController();
    const clear = clock.after(MAX_MEASURING_MS, () => limit.abort());
    const ending = AbortSignal.any([signal, limit.signal]);
    const { usage } = measurement;
    try {
      const outcomes = await Promise.allSettled([
        measureFiles(usage, home, ending),
        measureStore(usage, (given) => wholeHome.readStore(given), ending),
      ]);
      const faults = outcomes.flatMap((outcome) =>
        outcome.status === "rejected" ? [String(outcome.reason)] : [],
      );
      if (faults.length > 0 && !ending.aborted)
        log.warn("The home could not be measured", { fault: faults[0] });
      measurement.isComplete = faults.length === 0 && !ending.aborted;
    } finally {
      clear();
      measurement.isOver = true;
      if (measurement.isComplete && this.#current === measurement)
        this.#last = measurement;
    }
  }

  async #waitFor(done: Promise<void>): Promise<void> {
    const { clock } = this.#host;
    await new Promise<void>((resolve) => {
      const clear = clock.after(WAIT_MS, resolve);
      void done.finally(() => {
        clear();
        resolve();
      });
    });
  }
}
