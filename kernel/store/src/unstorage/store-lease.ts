import { randomBytes } from "node:crypto";
import type { Clock, Log } from "@gantry/plugin";
import type { Driver } from "unstorage";
import { readLease, StoreInUseError } from "./lease-owner.ts";
import type { LeaseContent, LeaseOwner } from "./lease-owner.ts";

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
  const times = { ...DEFAULT_TIMES, ...host.times };
  const record = createRecord(host);
  try {
    await waitUntilFree(record, host, times);
    for (let claims = 1; ; claims++) {
      await record.write();
      await host.clock.sleep(times.settleMs, host.signal);
      const holder = await record.read();
      if (holder?.token === record.token) break;
      if (holder || claims === MAX_CLAIMS)
        throw new StoreInUseError(holder ?? {});
    }
  } catch (error) {
    await host.driver.dispose?.();
    throw error;
  }
  return keepLease(record, host, times);
}

/** The record of a lease in the store. */
interface LeaseRecord {
  /** Distinguishes this holder from every other. */
  readonly token: string;
  /** What is there now, `undefined` for nothing. */
  read(): Promise<LeaseContent | undefined>;
  /** Writes it as this holder's own, different each time. */
  write(): Promise<void>;
  remove(): Promise<void>;
}

function createRecord({ driver, owner }: LeaseHost): LeaseRecord {
  const token = randomBytes(16).toString("base64url");
  let beat = 0;
  return {
    token,
    read: async () => readLease(await driver.getItem(LEASE_KEY)),
    async write() {
      const content = JSON.stringify({ ...owner, token, beat: ++beat });
      await driver.setItem?.(LEASE_KEY, content, {});
    },
    async remove() {
      await driver.removeItem?.(LEASE_KEY, {});
    },
  };
}

/** Renews a lease that was claimed, and lets the driver write only while it is held. */
function keepLease(
  record: LeaseRecord,
  { driver, clock, log }: LeaseHost,
  times: LeaseTimes,
): StoreLease {
  let held = { monotonic: clock.monotonic(), wall: clock.now() };
  let loss: StoreInUseError | undefined;
  let tellLoss = (_: StoreInUseError) => {};
  const lost = new Promise<StoreInUseError>((resolve) => (tellLoss = resolve));
  let renewing: Promise<void> | undefined;
  let isDisposed = false;
  let cancel = clock.after(times.renewMs, beatOn);

  /** By both clocks: the monotonic one of Linux stands still while the machine sleeps. */
  const isHeld = () =>
    loss === undefined &&
    clock.monotonic() - held.monotonic < times.holdMs &&
    clock.now() - held.wall < times.holdMs;

  async function renew(): Promise<void> {
    const begun = { monotonic: clock.monotonic(), wall: clock.now() };
    const holder = await record.read();
    if (holder && holder.token !== record.token) {
      loss = new StoreInUseError(holder);
      tellLoss(loss);
      throw loss;
    }
    await record.write();
    held = begun;
  }

  /** One renewal at a time, shared by all callers. */
  const renewOnce = () =>
    (renewing ??= renew().finally(() => (renewing = undefined)));

  function beatOn(): void {
    void renewOnce()
      .catch((error: unknown) =>
        log.warn("Lease not renewed", { reason: String(error) }),
      )
      .finally(() => {
        if (!loss && !isDisposed) cancel = clock.after(times.renewMs, beatOn);
      });
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
    const holder = await record.read();
    if (holder?.token === record.token) await record.remove();
  }

  return {
    lost,
    driver: {
      ...driver,
      setItem: async (...args) => {
        await ensureHeld();
        await driver.setItem?.(...args);
      },
      removeItem: async (...args) => {
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

/** Waits while there is a lease that may be alive. @throws StoreInUseError as soon as it is known to be */
async function waitUntilFree(
  record: LeaseRecord,
  { owner, clock, log, signal }: LeaseHost,
  { expireMs }: LeaseTimes,
): Promise<void> {
  const first = await record.read();
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
    const now = await record.read();
    if (!now) return;
    if (now.text !== first.text) throw new StoreInUseError(now);
  }
}
