import { channel } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { performance } from "node:perf_hooks";
import { WORK_BEGAN } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import type { DoctorReport } from "./report.ts";

/** How often the clock is looked at while there is work. */
const TICK_MS = 100;
/** What is later than this stood still for a second or nearly so. */
const LATE_MS = 900;
/** Most that is remembered of what ran, and of stalls. */
const MAX_HINTS = 4;
const MAX_STALLS = 20;

/** Watches for stalls of the event loop. */
export interface StallWatch {
  /** The latest, the newest first. */
  recent(): DoctorReport["stalls"];
  stop(): void;
}

/** What Node publishes about each request that it begins to answer. */
interface RequestStart {
  request: IncomingMessage;
}

/**
 * Reports that the event loop was blocked for a second. It looks only while there is work, so a daemon at rest is not
 * woken. Real time on purpose: it is about this process, whatever clock the daemon has.
 */
export function watchStalls({
  clock,
  log,
}: Pick<PluginContext, "clock" | "log">): StallWatch {
  const workBegan = channel(WORK_BEGAN);
  const requestBegan = channel("http.server.request.start");
  const stalls: DoctorReport["stalls"] = [];
  /** The last few things that began; the oldest is overwritten. */
  const hints: string[] = [];
  let noted = 0;
  let timer: NodeJS.Timeout | undefined;
  let due = 0;
  let cpu = process.cpuUsage();
  let isBusy = false;

  function note(what: string): void {
    isBusy = true;
    hints[noted++ % MAX_HINTS] = what;
    if (!timer) arm();
  }
  const noteWork = (context: unknown) =>
    note((context as { plugin: string }).plugin);
  // A text and not the request, which nothing must hold longer than it takes.
  const noteRequest = (start: unknown) => {
    const { method, url } = (start as RequestStart).request;
    note(`${method} ${url}`);
  };

  function arm(): void {
    due = performance.now() + TICK_MS;
    cpu = process.cpuUsage();
    isBusy = false;
    // eslint-disable-next-line gantry/no-ambient-time -- it measures this process, whatever clock the daemon has
    timer = setTimeout(tick, TICK_MS).unref();
  }

  function tick(): void {
    const late = performance.now() - due;
    if (late >= LATE_MS) tell(late);
    timer = undefined;
    if (isBusy) return arm();
    // At rest until the next work begins.
    hints.length = 0;
    noted = 0;
  }

  function tell(late: number): void {
    const used = process.cpuUsage(cpu);
    const stall = {
      at: clock.timestamp(),
      ms: Math.round(late),
      cpuMs: Math.round((used.user + used.system) / 1000),
      after: [...new Set(hints.map(withoutQuery))].join(", "),
    };
    stalls.unshift(stall);
    stalls.length = Math.min(stalls.length, MAX_STALLS);
    const { ms, cpuMs, after } = stall;
    log.warn("The event loop stood still", { ms, cpuMs, after });
  }

  workBegan.subscribe(noteWork);
  requestBegan.subscribe(noteRequest);
  return {
    recent: () => [...stalls],
    stop() {
      workBegan.unsubscribe(noteWork);
      requestBegan.unsubscribe(noteRequest);
      clearTimeout(timer);
    },
  };
}

const withoutQuery = (what: string) => what.split("?", 1)[0] ?? "";
