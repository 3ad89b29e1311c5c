import {
  describeError,
  isGantryError,
  type Log,
  type NewEvent,
} from "@gantry/plugin";
import type { AgentGate } from "../agents/agent-gate.ts";
import { TurnChangesChanged } from "../contract.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import {
  addAgent,
  keepTree,
  listAgents,
  removeSnapshots,
} from "./checkpoint-records.ts";
import { MAX_WAIT_MS } from "./limits.ts";
import { NoCheckpoint } from "./no-checkpoint.ts";
import { recordChange } from "./record-change.ts";
import { RunningTurns } from "./running-turns.ts";
import type { Snapshot, SnapshotPlace } from "./snapshot-store.ts";
import { SnapshotStores, type SnapshotStoresHost } from "./snapshot-stores.ts";

const LATE = `A snapshot of the folder took longer than ${MAX_WAIT_MS / 1000} s, so what that turn changed is not kept. Later ones are quicker.`;

/** Dependencies of {@link Checkpoints}. */
export interface CheckpointsHost extends SnapshotStoresHost {
  gate: AgentGate;
  log: Log;
  emit(...events: NewEvent[]): Promise<void>;
}

/** The first snapshot of a turn that runs. */
interface Before {
  place: SnapshotPlace;
  /** `undefined` if there is none, or it came too late. */
  snapshot: Promise<Snapshot | undefined>;
  isLate: boolean;
}

/** The wait for a first snapshot. */
interface Wait {
  isOver: boolean;
}

/**
 * Keeps agents' folders as they were before and after each turn. Nothing that goes wrong here is an error of the turn: it continues
 * without, and the list of changes says why.
 */
export class Checkpoints {
  readonly stores: SnapshotStores;
  readonly #host: CheckpointsHost;
  readonly #running = new RunningTurns();
  readonly #before = new Map<string, Before>();
  readonly #beginnings = new Map<string, Promise<void>>();
  readonly #endings = new Set<Promise<void>>();
  readonly #open = new Set<Promise<unknown>>();

  constructor(host: CheckpointsHost) {
    this.#host = host;
    this.stores = new SnapshotStores(host);
  }

  /** Turns that run. */
  get running(): ReadonlySet<string> {
    return new Set(this.#before.keys());
  }

  /**
   * Takes the snapshot of before a turn. Resolves when that is there, there can be none, it takes too long, or when aborted: it is
   * of no use then. Never rejects.
   */
  async begin(
    turnId: string,
    agent: AgentRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const beginning = this.#begin(turnId, agent, signal);
    this.#beginnings.set(turnId, beginning);
    await this.#track(beginning);
  }

  /** Takes a first snapshot of a folder, so that turns need not wait for it. Never rejects. */
  async warm({ id, cwd }: AgentRecord): Promise<void> {
    const warm = async () => {
      const place = await this.stores.find(cwd);
      if (!place || this.stores.refusalOf(place) !== undefined) return;
      await this.stores.use(place, async (store) => {
        if (await store.isWarm()) return;
        await this.stores.take(store, place);
        const { repository } = store.places;
        if (!this.#host.gate.isClosed(id))
          return await addAgent(repository, id);
        if ((await listAgents(repository)).length === 0)
          await this.stores.remove(repository);
      });
    };
    await this.#track(
      warm().catch((error: unknown) => this.#failed(id, error)),
    );
  }

  /** Takes the snapshot of after a turn. Never rejects. */
  async end(turnId: string): Promise<void> {
    const at = this.#host.clock.timestamp();
    const ending = this.#track(this.#end(turnId, at));
    this.#endings.add(ending);
    await ending;
    this.#endings.delete(ending);
  }

  /** Resolves when turns that are over are recorded, or after a while. */
  async untilRecorded(): Promise<void> {
    const { clock } = this.#host;
    const { promise: late, resolve: giveUp } = Promise.withResolvers<void>();
    const cancel = clock.after(MAX_WAIT_MS, giveUp);
    await Promise.race([Promise.allSettled(this.#endings), late]);
    cancel();
  }

  async #end(turnId: string, at: string): Promise<void> {
    const { turn, before } = await this.#over(turnId);
    if (!turn || !before) return;
    const { agentId } = turn;
    const { privateGit } = this.#host;
    const sharedWith = [...turn.sharedWith].sort();
    try {
      const snapshot = await before.snapshot;
      await this.#host.gate.write(agentId, () =>
        this.stores.use(before.place, async (store) => {
          const { repository } = store.places;
          if (!snapshot || before.isLate)
            return await removeSnapshots(repository, agentId, turnId);
          const about = { id: turnId, at, sharedWith, of: null };
          const after = await this.stores.take(store, before.place);
          const change = await recordChange(privateGit, store, agentId, {
            ...{ ...about, kind: "turn", before: snapshot, after },
          });
          if (change) await this.announce(agentId, turnId);
        }),
      );
    } catch (error) {
      this.#failed(agentId, error);
    } finally {
      this.#before.delete(turnId);
    }
  }

  /** There was no such turn. */
  async drop(turnId: string): Promise<void> {
    await this.#track(this.#drop(turnId));
  }

  async #drop(turnId: string): Promise<void> {
    const { turn, before } = await this.#over(turnId);
    this.#before.delete(turnId);
    if (!turn || !before) return;
    await this.stores
      .use(before.place, ({ places }) =>
        removeSnapshots(places.repository, turn.agentId, turnId),
      )
      .catch((error: unknown) => this.#failed(turn.agentId, error));
  }

  /** A turn that the CLI began by itself may be over before its first snapshot is. */
  async #over(turnId: string) {
    await this.#beginnings.get(turnId);
    this.#beginnings.delete(turnId);
    return {
      turn: this.#running.end(turnId),
      before: this.#before.get(turnId),
    };
  }

  /** Resolves when no snapshot is being taken. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  async announce(agentId: string, turnId: string): Promise<void> {
    await this.#host.emit(TurnChangesChanged.of(agentId, { turnId }));
  }

  async #begin(
    turnId: string,
    agent: AgentRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.#host;
    const { promise: late, resolve: giveUp } = Promise.withResolvers<"late">();
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    const cancel = clock.after(MAX_WAIT_MS, () => giveUp("late"));
    signal.addEventListener("abort", () => stop(), { once: true });
    if (signal.aborted) stop();
    const wait: Wait = { isOver: false };
    const taken = this.#takeBefore(turnId, agent, wait, signal);
    const result = await Promise.race([taken, late, stopped]);
    cancel();
    wait.isOver = true;
    const before = this.#before.get(turnId);
    if (!before) return;
    before.isLate = result === "late";
    this.stores.note(before.place, before.isLate ? LATE : null);
  }

  /** Resolves when the snapshot is taken, or there is none. Never rejects. */
  async #takeBefore(
    turnId: string,
    { id: agentId, name: agentName, cwd }: AgentRecord,
    wait: Wait,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const place = await this.stores.find(cwd);
      if (!place || wait.isOver) return;
      this.#running.begin(turnId, { agentId, agentName, root: place.root });
      if (this.stores.refusalOf(place) !== undefined) return;
      const take = () =>
        this.stores.use(place, async (store) => {
          const taken = await this.stores.take(store, place, { signal });
          const { repository } = store.places;
          await addAgent(repository, agentId);
          await keepTree(repository, agentId, turnId, "before", taken.tree);
          return taken;
        });
      const snapshot = this.#host.gate
        .write(agentId, take)
        .catch((error: unknown) =>
          signal.aborted ? undefined : this.#failed(agentId, error),
        );
      this.#before.set(turnId, { place, snapshot, isLate: false });
      await this.#track(snapshot);
    } catch (error) {
      this.#failed(agentId, error);
    }
  }

  #failed(agentId: string, error: unknown): undefined {
    const { gate, log, signal } = this.#host;
    if (signal.aborted || gate.isClosed(agentId)) return;
    const isExpected = error instanceof NoCheckpoint || isGantryError(error);
    const fields = { agent: agentId, reason: describeError(error) };
    const message = "A turn has no checkpoint";
    if (isExpected) log.info(message, fields);
    else log.error(message, fields, error);
  }

  async #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#open.add(work);
    try {
      return await work;
    } finally {
      this.#open.delete(work);
    }
  }
}
