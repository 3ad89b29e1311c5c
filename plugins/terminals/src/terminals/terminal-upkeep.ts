import type { Clock, Collection, Log } from "@gantry/plugin";
import { TerminalExited } from "../contract.ts";
import { endTree } from "../host/process-tree.ts";
import type { HostLink } from "../hosting/host-link.ts";
import { toBrief } from "./terminal-record.ts";
import type { TerminalRecord } from "./terminal-record.ts";

/** A host that cannot be reached is tried again after so long. */
const RECHECK_MS = 2_000;

/** Dependencies of {@link TerminalUpkeep}. */
export interface TerminalUpkeepHost {
  records: Collection<TerminalRecord>;
  link: HostLink;
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops; nothing is noted after that. */
  signal: AbortSignal;
  /** Whether it is in the host already, and not stored yet. */
  isOpening(id: string): boolean;
  isClosing(id: string): boolean;
}

/** Keeps the records of terminals true to what runs in the host, one change after the other. */
export class TerminalUpkeep {
  readonly #host: TerminalUpkeepHost;
  #noting: Promise<void> = Promise.resolve();

  constructor(host: TerminalUpkeepHost) {
    this.#host = host;
  }

  /** Notes that a program has ended. */
  noteExit(
    id: string,
    exitCode: number | null,
    signal: string | null,
  ): Promise<void> {
    return this.#inTurn(() => this.#noteExit(id, exitCode, signal));
  }

  /**
   * Compares what is stored with what runs: after a start of the daemon, and when the host was lost. A terminal that the host does
   * not have has ended, and its remaining processes are ended. One that only the host has was never returned to a client.
   *
   * @throws `TERMINAL_UNAVAILABLE` if the host cannot be reached; then nothing is changed
   */
  check(): Promise<void> {
    return this.#inTurn(() => this.#check());
  }

  /** As {@link check}, again and again while the host cannot be reached. Resolves after the first time. */
  async checkUntilKnown(): Promise<void> {
    const { log, clock, signal } = this.#host;
    try {
      await this.check();
    } catch (error) {
      if (signal.aborted) return;
      log.warn("What runs in the terminals is not known at the moment", {
        reason: String(error),
      });
      clock.after(RECHECK_MS, () => void this.checkUntilKnown());
    }
  }

  /** Resolves when nothing more is written by itself. */
  async settle(): Promise<void> {
    await this.#noting.catch(() => {});
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#host;
    this.#noting = this.#noting
      .catch(() => {})
      .then(() => (signal.aborted ? undefined : work()));
    return this.#noting;
  }

  async #noteExit(
    id: string,
    exitCode: number | null,
    signal: string | null,
  ): Promise<void> {
    await this.#host.records.update(id, (current) =>
      current.state === "exited"
        ? undefined
        : {
            record: { ...current, state: "exited", exitCode, signal },
            events: [
              TerminalExited.of(id, { ...toBrief(current), exitCode, signal }),
            ],
          },
    );
  }

  async #check(): Promise<void> {
    const { records, link, log, signal, isOpening, isClosing } = this.#host;
    // In this order: what is stored was in the host before, so what opens meanwhile is never missed there.
    const running = await runningRecords(records);
    const client = await link.find();
    // Without an answer nothing is known; a host that is lost is asked for again when its loss is noticed.
    const { items } = client ? await client.request("list", {}) : { items: [] };
    const hosted = new Map(items.map((one) => [one.id, one]));
    for (const { id } of running) {
      const one = hosted.get(id);
      if (one?.state === "running" || isClosing(id)) continue;
      if (!one) await endTree(id, undefined);
      if (signal.aborted) return;
      await this.#noteExit(id, one?.exitCode ?? null, one?.signal ?? null);
    }
    for (const { id } of hosted.values()) {
      if (signal.aborted) return;
      if (isOpening(id) || (await records.get(id)) !== undefined) continue;
      log.warn("Ended a terminal that is not stored", { terminal: id });
      await client?.request("close", { id }).catch(() => {});
    }
  }
}

/** Terminals whose program runs, newest first. */
export async function runningRecords(
  records: Collection<TerminalRecord>,
): Promise<TerminalRecord[]> {
  const { items } = await records.list({
    limit: 500,
    filter: ({ state }) => state === "running",
  });
  return items;
}
