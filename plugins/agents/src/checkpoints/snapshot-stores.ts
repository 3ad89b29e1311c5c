import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isGantryError, type Clock, type PathGuard } from "@gantry/plugin";
import { Lanes } from "../live/lanes.ts";
import { findPlace } from "./find-place.ts";
import { MAX_WAIT_MS, MAX_WORK_MS, RETRY_MS } from "./limits.ts";
import { NoCheckpoint } from "./no-checkpoint.ts";
import {
  readPlace,
  SnapshotStore,
  type Snapshot,
  type SnapshotPlace,
  type SnapshotStoreHost,
} from "./snapshot-store.ts";

const SLOW = `A snapshot of the folder takes longer than ${MAX_WORK_MS / 1000} s, so what a turn changes is not kept.`;

/** Dependencies of {@link SnapshotStores}. */
export interface SnapshotStoresHost extends SnapshotStoreHost {
  guard: PathGuard;
  clock: Clock;
  /** A folder of the plugin alone for what may be removed. */
  cache: string;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

interface Refusal {
  reason: string;
  /** On the monotonic clock. */
  until: number;
}

/** The repositories that snapshots are kept in, one for each folder. Work on one of them happens one after the other. */
export class SnapshotStores {
  readonly #host: SnapshotStoresHost;
  readonly #lanes = new Lanes();
  readonly #stores = new Map<string, SnapshotStore>();
  readonly #notes = new Map<string, string>();
  readonly #refusals = new Map<string, Refusal>();

  constructor(host: SnapshotStoresHost) {
    this.#host = host;
  }

  /** Aborts when the plugin stops. */
  get signal(): AbortSignal {
    return this.#host.signal;
  }

  /** The place that snapshots are taken of for a folder, if there is one. */
  async find(cwd: string): Promise<SnapshotPlace | undefined> {
    const { git, guard } = this.#host;
    const found = await guard.run(cwd, () => findPlace(git, cwd), {
      deadlineMs: MAX_WAIT_MS,
    });
    return found && "root" in found ? found : undefined;
  }

  /** Why no snapshots are made of a folder for now. */
  refusalOf(place: SnapshotPlace): string | undefined {
    const refusal = this.#refusals.get(SnapshotStore.nameOf(place));
    return refusal && this.#host.clock.monotonic() < refusal.until
      ? refusal.reason
      : undefined;
  }

  /** What is said of a folder where changes are listed; `null` for nothing. */
  noticeOf(place: SnapshotPlace): string | null {
    const note = this.#notes.get(SnapshotStore.nameOf(place));
    return this.refusalOf(place) ?? note ?? null;
  }

  /** Sets what is said of a folder. */
  note(place: SnapshotPlace, text: string | null): void {
    const name = SnapshotStore.nameOf(place);
    if (text === null) this.#notes.delete(name);
    else this.#notes.set(name, text);
  }

  /** The repository of a folder, for reading what is recorded in it. */
  of(place: SnapshotPlace): SnapshotStore {
    const name = SnapshotStore.nameOf(place);
    const store =
      this.#stores.get(name) ??
      new SnapshotStore(this.#host, join(this.#host.cache, name), place);
    this.#stores.set(name, store);
    return store;
  }

  /** Works with the repository of a folder, alone. */
  async use<Result>(
    place: SnapshotPlace,
    work: (store: SnapshotStore) => Promise<Result>,
  ): Promise<Result> {
    return await this.#lanes.run(SnapshotStore.nameOf(place), async () => {
      await mkdir(this.#host.cache, { recursive: true, mode: 0o700 });
      return await work(this.of(place));
    });
  }

  /**
   * Takes a snapshot, to be called in {@link use}.
   *
   * @param also Files to be stored even if they are ignored.
   * @throws NoCheckpoint if there can be none, and the reason of the signal
   */
  async take(
    store: SnapshotStore,
    place: SnapshotPlace,
    {
      also = [],
      signal: given,
    }: { also?: readonly string[]; signal?: AbortSignal } = {},
  ): Promise<Snapshot> {
    const reason = this.refusalOf(place);
    if (reason !== undefined) throw new NoCheckpoint(reason);
    const { clock } = this.#host;
    const signal = given
      ? AbortSignal.any([given, this.#host.signal])
      : this.#host.signal;
    const overdue = new AbortController();
    const cancel = clock.after(MAX_WORK_MS, () => overdue.abort());
    const signals = AbortSignal.any([overdue.signal, signal]);
    try {
      return await this.#host.guard.run(
        place.folder,
        () => store.take(signals, also),
        { deadlineMs: 2 * MAX_WORK_MS },
      );
    } catch (error) {
      signal.throwIfAborted();
      const fault = overdue.signal.aborted ? new NoCheckpoint(SLOW) : error;
      if (isGantryError(fault) && fault.code !== "GIT_TIMEOUT") {
        const reason = `A snapshot of the folder failed, so what a turn changed is not kept. ${fault.message}`;
        this.note(place, reason);
        throw new NoCheckpoint(reason, { cause: fault });
      }
      const refusal = isGantryError(fault) ? new NoCheckpoint(SLOW) : fault;
      if (refusal instanceof NoCheckpoint) this.refuse(place, refusal.message);
      throw refusal;
    } finally {
      cancel();
    }
  }

  /** Makes no snapshots of a folder for a while. */
  refuse(place: SnapshotPlace, reason: string): void {
    const until = this.#host.clock.monotonic() + RETRY_MS;
    this.#refusals.set(SnapshotStore.nameOf(place), { reason, until });
  }

  /** Works with each repository that is wanted, the one that was used last first. Stops early when aborted. */
  async useEach(
    signal: AbortSignal,
    isWanted: (repository: string) => Promise<boolean>,
    work: (
      repository: string,
      store: SnapshotStore | undefined,
    ) => Promise<void>,
  ): Promise<void> {
    const { cache } = this.#host;
    for (const name of await listNames(cache)) {
      if (signal.aborted) return;
      const repository = join(cache, name);
      // Not in its lane, so that a caller does not wait for work on another.
      if (!(await isWanted(repository))) continue;
      await this.#lanes.run(name, async () => {
        const place = await readPlace(repository);
        const store =
          place && SnapshotStore.nameOf(place) === name
            ? new SnapshotStore(this.#host, repository, place)
            : undefined;
        await work(repository, store);
        // What was pruned is not known to be kept any more.
        this.#stores.delete(name);
      });
    }
  }

  /** Removes a repository, to be called in its lane. */
  async remove(repository: string): Promise<void> {
    await rm(repository, { recursive: true, force: true });
  }
}

/** Names of repositories, the one that was used last first. */
async function listNames(cache: string): Promise<string[]> {
  const names = await readdir(cache).catch(() => []);
  const used = await Promise.all(
    names.map(async (name) => {
      const stats = await stat(join(cache, name, "index")).catch(() => null);
      return { name, at: stats?.mtimeMs ?? 0 };
    }),
  );
  return used.sort((one, other) => other.at - one.at).map(({ name }) => name);
}
