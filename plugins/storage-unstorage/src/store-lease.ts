import { randomBytes } from "node:crypto";
import type { Clock, Log } from "@gantry/plugin";
import type { Driver } from "unstorage";
import type { LeaseOwner } from "./lease-owner.ts";
import { toText } from "./stored-text.ts";
import { StoreInUseError } from "./user-error.ts";

const LEASE_KEY = "kernel:lease";
const POLL_MS = 500;
const MAX_CLAIMS = 3;

/** Times of a lease. A rival takes over long after its holder stopped writing, so their clocks may differ a little. */
export interface LeaseTimes {
  /** How often the holder renews it. */
  renewMs: number;
  /** Without a renewal for this long the holder writes nothing. */
  holdMs: number;
  /** A rival that saw no renewal for this long takes over. */
  expireMs: number;
  /** Time between a claim and the look whether it is still there: the driver can only overwrite. */
  settleMs: number;
}

const DEFAULT_TIMES: LeaseTimes = {
  renewMs: 3_000,
  holdMs: 10_000,
  expireMs: 15_000,
  settleMs: 250,
};

/** A held store. */
export interface StoreLease {
  /** The driver, which writes only while the lease is held, and gives it back when it is disposed. */
  readonly driver: Driver;
  /** Resolves when another daemon has taken the store over. Nothing is written from then on. */
  readonly lost: Promise<StoreInUseError>;
}

/** What a lease works with. */
export interface LeaseHost {
  driver: Driver;
  owner: LeaseOwner;
  clock: Clock;
  log: Log;
  times?: Partial<LeaseTimes>;
  /** Gives up waiting for the lease: the acquisition rejects with its reason. */
  signal?: AbortSignal;
}

/** The record of a lease. One that cannot be read has nothing but its text. */
type LeaseRecord = Partial<LeaseOwner> & {
  token?: string;
  beat?: number;
  unreadable?: string;
};

/**
 * Takes a store that daemons with other homes can reach too, or waits until the lease of one that crashed has expired.
 * A lease is a record that its holder renews; each daemon measures time by its own clock, since clocks of machines differ.
 *
 * A plain unstorage driver has no compare-and-set, so a write that is on its way for longer than {@link LeaseTimes}
 * allow for can land after a rival took over.
 *
 * @throws StoreInUseError if another daemon holds it; the driver is then disposed
 */
export async function acquireStoreLease(host: LeaseHost): Promise<StoreLease> {
  const { driver, owner, clock, signal } = host;
  const times = { ...DEFAULT_TIMES, ...host.times };
  // Distinguishes this holder from every other.
  const token = randomBytes(16).toString("base64url");
  let beat = 0;
  const write = async () => {
    const content = JSON.stringify({ ...owner, token, beat: ++beat });
    await driver.setItem?.(LEASE_KEY, content, {});
  };
  try {
    await waitUntilFree(host, times);
    for (let claims = 1; ; claims++) {
      await write();
      await clock.sleep(times.settleMs, signal);
      const holder = await readLease(driver);
      if (holder?.token === token) break;
      if (holder || claims === MAX_CLAIMS)
        throw new StoreInUseError(holder ?? {});
    }
  } catch (error) {
    await driver.dispose?.();
    throw error;
  }
  return keepLease(host, times, token, write);
}

/** What is there now, `undefined` for nothing. */
async function readLease(driver: Driver): Promise<LeaseRecord | undefined> {
  const text = toText(await driver.getItem(LEASE_KEY));
  if (text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as unknown;
    if (typeof record === "object" && record !== null) return record;
  } catch {
    // It is waited out like any other, see `unreadable`.
  }
  return { unreadable: text };
}

/** Waits while there is a lease that may be alive. @throws StoreInUseError as soon as it is known to be */
async function waitUntilFree(
  { driver, owner, clock, log, signal }: LeaseHost,
  { expireMs }: LeaseTimes,
): Promise<void> {
  const first = await readLease(driver);
  // This process holds the home, so a daemon that held the store from this very folder is gone.
  const isPredecessor =
    owner.place !== undefined && first?.place === owner.place;
  if (!first || isPredecessor) return;
  const { pid, host, home } = first;
  log.warn("The store is held; waiting whether its lease expires", {
    pid,
    host,
    home,
  });
  const since = clock.monotonic();
  while (clock.monotonic() - since < expireMs) {
    await clock.sleep(POLL_MS, signal);
    const now = await readLease(driver);
    if (!now) return;
    if (JSON.stringify(now) !== JSON.stringify(first))
      throw new StoreInUseError(now);
  }
}

/** Renews a lease that was claimed, and lets the driver write only while it is held. */
function keepLease(
  { driver, clock, log }: LeaseHost,
  { renewMs, holdMs }: LeaseTimes,
  token: string,
  write: () => Promise<void>,
): StoreLease {
  const now = () => ({ monotonic: clock.monotonic(), wall: clock.now() });
  let held = now();
  let loss: StoreInUseError | undefined;
  const { promise: lost, resolve } = Promise.withResolvers<StoreInUseError>();
  let renewing: Promise<void> | undefined;
  let isDisposed = false;
  let cancel = clock.after(renewMs, () => void beatOn());

  /** By both clocks: the monotonic one of Linux stands still while the machine sleeps. */
  const isHeld = () =>
    loss === undefined &&
    clock.monotonic() - held.monotonic < holdMs &&
    clock.now() - held.wall < holdMs;

  async function renew(): Promise<void> {
    const begun = now();
    const holder = await readLease(driver);
    if (holder && holder.token !== token) {
      loss = new StoreInUseError(holder);
      resolve(loss);
      throw loss;
    }
    await write();
    held = begun;
  }

  /** One renewal at a time, shared by all callers. */
  const renewOnce = () =>
    (renewing ??= renew().finally(() => (renewing = undefined)));

  async function beatOn(): Promise<void> {
    try {
      await renewOnce();
    } catch (error) {
      log.warn("Lease not renewed", { reason: String(error) });
    }
    if (!loss && !isDisposed)
      cancel = clock.after(renewMs, () => void beatOn());
  }

  async function ensureHeld(): Promise<void> {
    if (loss) throw loss;
    if (isHeld()) return;
    await renewOnce();
    if (!isHeld()) throw new Error("The lease of the store has expired.");
  }

  async function release(): Promise<void> {
    isDisposed = true;
    cancel();
    await renewing?.catch(() => {});
    const holder = await readLease(driver);
    if (holder?.token === token) await driver.removeItem?.(LEASE_KEY, {});
  }

  return {
    lost,
    driver: {
      ...driver,
      async setItem(...args) {
        await ensureHeld();
        await driver.setItem?.(...args);
      },
      async removeItem(...args) {
        await ensureHeld();
        await driver.removeItem?.(...args);
      },
      async dispose() {
        // A lease that cannot be given back expires.
        await release().catch(() => {});
        await driver.dispose?.();
      },
    },
  };
}
