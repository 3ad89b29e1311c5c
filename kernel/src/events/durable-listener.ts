import { keyPart } from "@gantry/plugin";
import type { EventRecord } from "@gantry/plugin";
import { runInContext } from "../context/work-context.ts";
import type { WorkUnit } from "../context/work-context.ts";
import type { EventBusHost, Listener } from "./event-bus.ts";

const PAGE = 500;
/** Tries for one event; after the last it is passed over and logged, so that one bad event blocks nothing for ever. */
const RETRY_DELAYS_MS = [1_000, 5_000, 30_000];

interface Cursor {
  after: number;
}

/**
 * Delivers events of one type in order and exactly once: the place in the log is stored in the same batch as the first
 * write of the handler, so a crash leaves either both or neither.
 */
export function createDurableListener(
  { core, log, clock, logOf }: EventBusHost,
  {
    plugin,
    name,
    type,
    handler,
  }: { plugin: string; name: string; type: string; handler: Listener },
) {
  const key = `kernel:cursor:${keyPart(plugin)}:${keyPart(name)}`;
  const stopping = new AbortController();
  let running = false;
  let again = false;
  let after: number | undefined;

  async function loadCursor(): Promise<number> {
    const stored = (await core.engine.get(key)) as Partial<Cursor> | undefined;
    if (typeof stored?.after === "number") return stored.after;
    const latest = log.latest();
    await core.engine.commit([{ type: "set", key, value: { after: latest } }]);
    return latest;
  }

  async function deliver(event: EventRecord): Promise<void> {
    const moved = { type: "set", key, value: { after: event.id } } as const;
    for (const delay of [...RETRY_DELAYS_MS, undefined]) {
      const unit: WorkUnit = { carried: [moved] };
      try {
        await runInContext({ plugin, unit }, () =>
          handler(event as EventRecord<never>),
        );
        // A handler that wrote nothing took the cursor along with nothing.
        const left = unit.carried;
        // What it set off and did not wait for must not write this place once it is an old one.
        unit.carried = undefined;
        if (left) await core.engine.commit(left);
        return;
      } catch (error) {
        const hadEffect = unit.carried === undefined;
        unit.carried = undefined;
        const retry = hadEffect ? undefined : delay;
        logOf(plugin).error(
          "Durable listener failed",
          { event: event.type, id: event.id, retry: retry ?? null },
          error,
        );
        // The effect is stored and the cursor with it; once more would be twice.
        if (hadEffect) return;
        if (delay === undefined) return core.engine.commit([moved]);
        await clock.sleep(delay, stopping.signal);
      }
    }
  }

  async function pump(): Promise<void> {
    after ??= await loadCursor();
    for (;;) {
      const page = await log.read(after, PAGE);
      for (const event of page) {
        if (stopping.signal.aborted) return;
        if (event.type === type) await deliver(event);
        after = event.id;
      }
      if (page.length === 0) return;
    }
  }

  async function run(): Promise<void> {
    running = true;
    try {
      do {
        again = false;
        await pump();
      } while (again);
    } catch (error) {
      if (!stopping.signal.aborted)
        logOf(plugin).error("Durable listener stopped", { event: type }, error);
    } finally {
      running = false;
    }
  }

  const wake = (): void => {
    if (running) again = true;
    else void run();
  };
  wake();
  return { wake, stop: () => stopping.abort() };
}
