import { stat } from "node:fs/promises";
import { basename, isAbsolute } from "node:path";
import { createIdentifier, createPathGuard } from "@gantry/plugin";
import type {
  Clock,
  Collection,
  Log,
  Page,
  PathGuard,
  Run,
  Store,
} from "@gantry/plugin";
import type { TerminalsConfig } from "../config.ts";
import {
  TerminalChanged,
  TerminalClosed,
  TerminalOpened,
} from "../contract.ts";
import { errors } from "../errors.ts";
import { endTree } from "../host/process-tree.ts";
import type { HostLink } from "../hosting/host-link.ts";
import type { HostedTerminal } from "../wire/protocol.ts";
import { ask } from "./ask-host.ts";
import type { ChosenProgram } from "./choose-program.ts";
import { terminalCollection, toBrief } from "./terminal-record.ts";
import type { TerminalRecord } from "./terminal-record.ts";
import { runningRecords, TerminalUpkeep } from "./terminal-upkeep.ts";
import { toView } from "./terminal-view.ts";
import type { TerminalView } from "./terminal-view.ts";

/** A terminal has this size until a viewer attaches. */
const FIRST_SIZE = { cols: 80, rows: 24 };

/** Dependencies of {@link Terminals}. */
export interface TerminalsHost {
  store: Store;
  link: HostLink;
  clock: Clock;
  run: Run;
  log: Log;
  /** Aborts when the plugin stops; nothing is noted after that. */
  signal: AbortSignal;
  config: TerminalsConfig;
}

/** How a terminal is opened. */
export interface Opening extends ChosenProgram {
  name: string;
  cwd: string;
  kind: "shell" | "cli";
  agent: { id: string; name: string } | null;
}

/** The user's terminals: what is stored of them, and what runs in the host. */
export class Terminals {
  readonly #host: TerminalsHost;
  readonly #records: Collection<TerminalRecord>;
  /** A folder on a disk that does not answer holds up only itself. */
  readonly #guard: PathGuard;
  /** In the host already, and not stored yet. */
  readonly #opening = new Set<string>();
  readonly #closing = new Map<string, Promise<void>>();
  /** What keeps the records true to what runs. */
  readonly upkeep: TerminalUpkeep;

  constructor(host: TerminalsHost) {
    this.#host = host;
    this.#records = host.store.collection(terminalCollection);
    this.#guard = createPathGuard({
      clock: host.clock,
      run: host.run,
      refuse: (path, deadlineMs) =>
        errors.TERMINAL_FOLDER_SILENT({
          cwd: path.slice(0, 200),
          seconds: Math.round(deadlineMs / 1000),
        }),
    });
    this.upkeep = new TerminalUpkeep({
      ...host,
      records: this.#records,
      isOpening: (id) => this.#opening.has(id),
      isClosing: (id) => this.#closing.has(id),
    });
  }

  async list(options: {
    limit: number;
    cursor?: string;
  }): Promise<Page<TerminalView>> {
    const page = await this.#records.list(options);
    const hosted = await this.#hosted();
    return {
      ...page,
      items: page.items.map((record) => toView(record, hosted.get(record.id))),
    };
  }

  /** Those whose program runs, newest first. */
  async running(): Promise<TerminalView[]> {
    const items = await runningRecords(this.#records);
    const hosted = await this.#hosted();
    return items.map((record) => toView(record, hosted.get(record.id)));
  }

  async find(id: string): Promise<TerminalView | undefined> {
    const record = await this.#records.get(id);
    if (!record) return undefined;
    const client = await this.#host.link.find().catch(() => undefined);
    const hosted = await client?.request("describe", { id }).catch(() => null);
    // What ended a moment ago may not be stored as ended yet.
    return toView(
      hosted?.state === "exited" ? { ...record, ...endOf(hosted) } : record,
      hosted,
    );
  }

  /** @throws `TERMINAL_NOT_FOUND` */
  async get(id: string): Promise<TerminalView> {
    const view = await this.find(id);
    if (!view) throw errors.TERMINAL_NOT_FOUND({ id });
    return view;
  }

  /** What is stored of it. */
  async record(id: string): Promise<TerminalRecord | undefined> {
    return this.#records.get(id);
  }

  async has(id: string): Promise<boolean> {
    return (await this.#records.get(id)) !== undefined;
  }

  async open(opening: Opening): Promise<TerminalView> {
    const { name, cwd, kind, agent, program, nonce, command, cli } = opening;
    const isFolder =
      isAbsolute(cwd) &&
      !cwd.includes("\0") &&
      (await this.#guard.run(cwd, () =>
        stat(cwd).then(
          (stats) => stats.isDirectory(),
          () => false,
        ),
      ));
    if (!isFolder)
      throw errors.TERMINAL_FOLDER_MISSING({ cwd: cwd.slice(0, 200) });
    const { link, config } = this.#host;
    const most = config.mostTerminals;
    const id = createIdentifier("trm");
    this.#opening.add(id);
    try {
      const stored = await this.#records.count("newest", [], most);
      if (stored + this.#opening.size > most)
        throw errors.TERMINAL_LIMIT({ most });
      const client = await link.get();
      const { pid } = await ask(
        () =>
          client.request("open", {
            ...FIRST_SIZE,
            id,
            cwd,
            program,
            nonce,
            scrollback: config.scrollback,
          }),
        { cwd, name: basename(program.file) },
      );
      const record = {
        id,
        name,
        kind,
        cwd,
        cli,
        agent,
        command: command.slice(0, 1000),
        incarnation: createIdentifier("inc"),
        pid,
        state: "running" as const,
        exitCode: null,
        signal: null,
      };
      try {
        const stored = await this.#records.insert(record, {
          events: [TerminalOpened.of(id, toBrief(record))],
        });
        return toView(stored, await client.request("describe", { id }));
      } catch (error) {
        await client.request("close", { id }).catch(() => {});
        throw error;
      }
    } finally {
      this.#opening.delete(id);
      // It may have ended before it was stored, or the host with it.
      void this.upkeep.check().catch(() => {});
    }
  }

  async rename(
    id: string,
    name: string,
    revision?: number,
  ): Promise<TerminalView> {
    const record = await this.#records.update(
      id,
      (current) =>
        current.name === name
          ? undefined
          : {
              record: { ...current, name },
              events: [TerminalChanged.of(id, toBrief({ ...current, name }))],
            },
      { revision },
    );
    if (!record) throw errors.TERMINAL_NOT_FOUND({ id });
    return this.get(id);
  }

  /** Ends what runs in it and forgets it. */
  async close(id: string, revision?: number): Promise<void> {
    const record = await this.#records.get(id);
    if (!record) throw errors.TERMINAL_NOT_FOUND({ id });
    if (revision !== undefined && revision !== record.revision)
      // Says so in the store's own words, and changes nothing.
      await this.#records.update(id, () => undefined, { revision });
    const closing =
      this.#closing.get(id) ??
      this.#close(record).finally(() => this.#closing.delete(id));
    this.#closing.set(id, closing);
    await closing;
  }

  async #close(record: TerminalRecord): Promise<void> {
    const { id } = record;
    // Before anything is forgotten: what cannot be reached cannot be ended.
    const client = await this.#host.link.find();
    // Forgotten first: a daemon that dies in between ends what no record is of.
    await this.#records.remove(id, {
      events: [TerminalClosed.of(id, toBrief(record))],
    });
    if (client) await client.request("close", { id }).catch(() => {});
    else await endTree(id, undefined);
  }

  async #hosted(): Promise<Map<string, HostedTerminal>> {
    const client = await this.#host.link.find().catch(() => undefined);
    const list = await client?.request("list", {}).catch(() => undefined);
    return new Map(list?.items.map((one) => [one.id, one]));
  }
}

function endOf({ exitCode, signal }: HostedTerminal) {
  return { state: "exited" as const, exitCode, signal };
}
