import type {
  Clock,
  Log,
  NewEvent,
  Store,
  StoreOperation,
} from "@gantry/plugin";
import { NotifyFailed } from "../contract.ts";
import { createPlaces } from "../places.ts";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { Records } from "../records/records.ts";
import type { RunRecord } from "../wire/run.ts";
import { toChatMessage } from "./chat-message.ts";
import type { ChatMessage } from "./chat-message.ts";
import type { DeliveryFailure, Send } from "./send.ts";

/**
 * Pending messages about runs. Each is written with the end of its run, so that none is lost, and says on disk how often it was
 * tried, so that none goes out more often than it should.
 */
export interface Outbox {
  /** What goes with the write of a run's end. Nothing for a skip, or if no target is to be notified. */
  toNote(automation: AutomationRecord, run: RunRecord): StoreOperation[];
  /** Sends what was noted of a run. Waits for nothing. */
  post(runId: string): void;
  /** Continues with the messages that the last daemon left. */
  resume(): Promise<void>;
  /** Resolves when nothing is on its way any more. */
  settled(): Promise<void>;
}

/** Dependencies of the outbox. */
export interface OutboxHost {
  store: Store;
  records: Records;
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
  send: Send;
  /** Where people find the pages. */
  origin: string;
}

/** A message on its way, as it is on disk. */
interface Note {
  automationId: string;
  automationName: string;
  runId: string;
  url: string;
  message: ChatMessage;
  /** Tries that were begun. */
  tries: number;
  /** When to try again; `null` while a try is on its way, or before the first. */
  retryAt: string | null;
}

const PREFIX = "notify:";
const MAX_TRIES = 2;
const RETRY_MS = 5_000;
/** Between tries to write the result of a message. */
const STORE_RETRY_MS = 10_000;
/** Messages that are sent at once. */
const AT_ONCE = 8;

const INTERRUPTED: DeliveryFailure = {
  code: "interrupted",
  error: "The daemon stopped before the target answered.",
};

export function createOutbox(host: OutboxHost): Outbox {
  const { store, records, clock, log, signal, send, origin } = host;
  const places = createPlaces(AT_ONCE);
  const atWork = new Set<Promise<void>>();
  const keyOf = ({ runId }: Pick<Note, "runId">) => PREFIX + runId;

  /** Writes, and retries while the store cannot. */
  async function persist(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        signal.throwIfAborted();
        log.warn("The outcome of a notification could not be written", {
          why: String(error),
          retryMs: STORE_RETRY_MS,
        });
        await clock.sleep(STORE_RETRY_MS, signal);
      }
    }
  }

  async function write(note: Note): Promise<Note> {
    const key = keyOf(note);
    await persist(() => store.set(key, note));
    return note;
  }

  /** Removes a note, together with the result that its automation shows and its event. */
  function close(
    note: Note,
    failure: { error: string } | null,
    events: NewEvent[] = [],
  ): Promise<void> {
    const { automationId, runId } = note;
    const { automations, states, marks, lock } = records;
    return persist(() =>
      lock.run(automationId, async () => {
        const operations: StoreOperation[] = [
          { type: "remove", key: keyOf(note) },
          ...marks.toNoteTold(runId, clock.timestamp()),
        ];
        const state = await states.get(automationId);
        const hasNews = failure !== null || state.notifyFailure !== null;
        if (hasNews && (await automations.get(automationId))) {
          const at = clock.timestamp();
          const notifyFailure = failure && {
            runId,
            at,
            error: failure.error,
          };
          operations.push(...states.toWrite({ ...state, notifyFailure }));
        }
        await store.batch(operations, events);
      }),
    );
  }

  /** One try. Resolves with why it failed. */
  async function attempt(note: Note): Promise<DeliveryFailure | undefined> {
    const { url, message } = note;
    const outcome = await places.take(() => send(url, message, signal), {
      signal,
    });
    // What it said when it was stopped is no answer; the next daemon continues.
    signal.throwIfAborted();
    return outcome.failure;
  }

  /** Tells that a message did not arrive, and forgets it. */
  async function giveUp(note: Note, failure: DeliveryFailure): Promise<void> {
    const { automationId, automationName, runId, tries } = note;
    const target = new URL(note.url).host;
    log.warn("A run was not notified", { automationId, runId, target });
    await close(note, failure, [
      NotifyFailed.of(automationId, {
        automationId,
        automationName,
        runId,
        target,
        tries,
        ...failure,
      }),
    ]);
  }

  async function deliver(first: Note): Promise<void> {
    let note = first;
    for (;;) {
      if (note.retryAt !== null) {
        const wait = Date.parse(note.retryAt) - clock.now();
        await clock.sleep(Math.min(Math.max(wait, 0), RETRY_MS), signal);
      }
      signal.throwIfAborted();
      note = await write({ ...note, tries: note.tries + 1, retryAt: null });
      const failure = await attempt(note);
      if (!failure) return await close(note, null);
      if (note.tries >= MAX_TRIES) return await giveUp(note, failure);
      note = await write(later(note));
    }
  }

  const later = (note: Note): Note => ({
    ...note,
    retryAt: new Date(clock.now() + RETRY_MS).toISOString(),
  });

  /** Continues with a note of the last daemon. A try whose end that daemon did not see has failed. */
  async function takeUp(note: Note): Promise<void> {
    // A snapshot was restored in which it is still on its way.
    if (await records.marks.wasTold(note.runId))
      return await persist(() => store.remove(keyOf(note)));
    if (note.tries === 0 || note.retryAt !== null) return await deliver(note);
    if (note.tries >= MAX_TRIES) return await giveUp(note, INTERRUPTED);
    await deliver(await write(later(note)));
  }

  function follow(work: Promise<void>): void {
    const followed = work
      .catch((error: unknown) => {
        if (!signal.aborted) log.error("A notification was lost", {}, error);
      })
      .finally(() => atWork.delete(followed));
    atWork.add(followed);
  }

  return {
    toNote(automation, run) {
      const { result } = run;
      if (automation.notifyUrl === null) return [];
      if (result !== "done" && result !== "failed") return [];
      const { id: automationId, name, notifyUrl: url } = automation;
      const { reason, costUsd, message } = run;
      const link = `${origin}/automations/${automationId}`;
      const note: Note = {
        automationId,
        automationName: name,
        runId: run.id,
        url,
        message: toChatMessage({
          name,
          result,
          reason,
          costUsd,
          message,
          link,
        }),
        tries: 0,
        retryAt: null,
      };
      return [{ type: "set", key: keyOf(note), value: note }];
    },
    post(runId) {
      const read = store.get<Note>(PREFIX + runId);
      follow(read.then((note) => note && deliver(note)));
    },
    async resume() {
      for (const key of await store.keys(PREFIX)) {
        const note = await store.get<Note>(key);
        if (note) follow(takeUp(note));
      }
    },
    async settled() {
      await Promise.all(atWork);
    },
  };
}
