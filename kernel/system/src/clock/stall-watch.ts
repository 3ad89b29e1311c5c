import { channel } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { performance } from "node:perf_hooks";
import type { Log } from "@gantry/plugin";
import { workBegan } from "../context/work-context.ts";
import type { WorkContext } from "../context/work-context.ts";

/** How often the clock is checked while there is work. */
const TICK_MS = 100;
/** A tick that is later than this counts as a stall of about a second. */
const LATE_MS = 900;
/** How many activities and stalls are remembered. */
const MAX_HINTS = 4;
const MAX_STALLS = 20;

/** A period during which the event loop was blocked. */
export interface Stall {
  /** The end of the stall. */
  at: string;
  ms: number;
  /**
   * Processor time that the daemon used during the stall; if it is little, the machine was busy or suspended the
   * daemon.
   */
  cpuMs: number;
  /** What had started shortly before: requests, and plugins whose code ran. */
  after: string;
}

/** Watches for stalls of the event loop. */
export interface StallWatch {
  /** The latest stalls, newest first. */
  recent(): Stall[];
  stop(): void;
}

/** Node's message for each request that it starts to answer. */
interface RequestStart {
  request: IncomingMessage;
}

/**
 * Reports when the event loop was blocked for about a second. Checks only while there is work, so that an idle daemon
 * is not woken. Uses real time, whatever clock the daemon has, since it concerns this process.
 */
export function watchStalls({
  log,
  timestamp,
}: {
  log: Log;
  timestamp(): string;
}): StallWatch {
  const requestBegan = channel("http.server.request.start");
  const stalls: Stall[] = [];
  /** The last few activities; the oldest is overwritten. */
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
  const noteWork = (context: unknown) => note((context as WorkContext).plugin);
  // Stores text, since a reference would keep the request in memory longer than needed.
  const noteRequest = (start: unknown) => {
    const { method, url } = (start as RequestStart).request;
    note(`${method} ${url}`);
  };

  function arm(): void {
    due = performance.now() + TICK_MS;
    cpu = process.cpuUsage();
    isBusy = false;
    timer = setTimeout(tick, TICK_MS).unref();
  }

  function tick(): void {
    const late = performance.now() - due;
    if (late >= LATE_MS) report(late);
    timer = undefined;
    if (isBusy) return arm();
    // Idle until the next work starts.
    hints.length = 0;
    noted = 0;
  }

  function report(late: number): void {
    const used = process.cpuUsage(cpu);
    const stall = {
      at: timestamp(),
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
