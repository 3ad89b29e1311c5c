import { isGantryError, type Log, type Store } from "@gantry/plugin";
import type { TurnCharges } from "@gantry/plugin-agents/contract";
import * as z from "zod";
import type { UsageBook } from "../sums/usage-book.ts";

/** Dependencies of a {@link ChargeCounter}. */
export interface ChargeCounterHost {
  store: Store;
  book: UsageBook;
  charges: TurnCharges;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** Charges that are counted in one batch. */
const PAGE = 200;
/** Holds the ids of the charges that were counted last, which may not be acknowledged yet. */
const COUNTED_KEY = "counted";
const countedIds = z.object({ ids: z.array(z.string()) });
const OUTAGES: readonly string[] = ["STORAGE_FULL", "STORAGE_UNAVAILABLE"];

/**
 * Adds pending charges of turns to the sums, each exactly once: a page of charges is written in one batch with its ids,
 * and acknowledged afterwards. After a crash in between, the charges are given again and the ids tell that they are
 * counted.
 */
export class ChargeCounter {
  readonly #host: ChargeCounterHost;
  /** Counted and not known to be acknowledged; `undefined` until it is read from the store. */
  #counted: readonly string[] | undefined;
  #running: Promise<void> = Promise.resolve();
  /** A pass that has not begun yet. */
  #next: Promise<void> | undefined;

  constructor(host: ChargeCounterHost) {
    this.#host = host;
  }

  /**
   * Counts all charges that are pending at the time of the call. Rejects if the store takes no writes, and when the
   * plugin stops.
   */
  catchUp(): Promise<void> {
    if (this.#next) return this.#next;
    const before = this.#running.catch(() => undefined);
    const pass = before.then(() => {
      this.#next = undefined;
      return this.#countAll();
    });
    this.#running = this.#next = pass;
    return pass;
  }

  /** As {@link catchUp}, but logs an error: what is not counted now is counted before the next report. */
  catchUpInBackground(): void {
    this.catchUp().catch((error: unknown) => this.#logFailure(error));
  }

  /** As {@link catchUp}, but resolves during an outage of the store, so that what is counted can still be read. */
  async catchUpIfWritable(): Promise<void> {
    try {
      await this.catchUp();
    } catch (error) {
      if (!isOutage(error)) throw error;
      this.#logFailure(error);
    }
  }

  /** Resolves once no pass is running. */
  async settled(): Promise<void> {
    await this.#running.catch(() => undefined);
  }

  async #countAll(): Promise<void> {
    const { store, book, charges, signal } = this.#host;
    for (;;) {
      signal.throwIfAborted();
      await this.#acknowledge();
      const { items } = await charges.pending({ limit: PAGE }, signal);
      if (items.length === 0) return;
      const ids = items.map(({ id }) => id);
      const sums = await book.toAdd(items);
      // If the write fails, only the store knows whether it happened.
      this.#counted = undefined;
      await store.batch([
        ...sums,
        { type: "set", key: COUNTED_KEY, value: { ids } },
      ]);
      this.#counted = ids;
    }
  }

  /** Acknowledges what was counted last. Otherwise it would be counted again with the next page. */
  async #acknowledge(): Promise<void> {
    const { store, charges, signal } = this.#host;
    this.#counted ??= await readCounted(store);
    if (this.#counted.length === 0) return;
    await charges.acknowledge({ ids: this.#counted }, signal);
    this.#counted = [];
  }

  #logFailure(error: unknown): void {
    const { log, signal } = this.#host;
    if (!signal.aborted)
      log.warn("Charges of turns are not counted yet", {
        why: error instanceof Error ? error.message : String(error),
      });
  }
}

async function readCounted(store: Store): Promise<readonly string[]> {
  const stored = await store.get(COUNTED_KEY);
  return stored === undefined ? [] : countedIds.parse(stored).ids;
}

function isOutage(error: unknown): boolean {
  return isGantryError(error) && OUTAGES.includes(error.code);
}
