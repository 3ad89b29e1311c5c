import { patience } from "@gantry/build/testing";
import { expect } from "vitest";
import { send } from "../../support/api-client.ts";
import { residentBytes } from "./processes.ts";
import type { World } from "./world.ts";

const QUICK_MS = 200 * patience;
/** On a busy machine one answer may be late for reasons that are not the daemon's. */
const TRIES = 8;
const MAX_GROWTH = 32 * 1024 * 1024;
const MAX_LOADED = 16 * 1024 * 1024;

/** Whether a daemon is as well as before. */
export interface HealthCheck {
  /** Compares with its memory as it is now. */
  noteMemory(): void;
  /** Whether its memory is more than it may be, but not by so much that what it loads at the first use could be why. */
  mayHaveLoaded(): boolean;
  /**
   * It answers a paired browser quickly, has not grown by much, and logged no fault.
   *
   * @param expectedFaults Messages of the error lines that the attack is known to cause.
   */
  expectAlive(expectedFaults?: readonly RegExp[]): Promise<void>;
}

/** Notes how a daemon is now, to be compared with how it is after an attack. */
export function beginHealthCheck(world: World): HealthCheck {
  const { daemon } = world;
  let before = residentBytes(daemon.pid);
  const logged = daemon.log().length;
  const growth = () => residentBytes(world.daemon.pid) - before;
  return {
    noteMemory() {
      before = residentBytes(daemon.pid);
    },
    mayHaveLoaded: () =>
      growth() >= MAX_GROWTH && growth() < MAX_GROWTH + MAX_LOADED,
    async expectAlive(expectedFaults = []) {
      await expectQuickAnswer(world);
      expect(growth(), "growth of the daemon in bytes").toBeLessThan(
        MAX_GROWTH,
      );
      // One that was started again has a log of its own.
      const start = world.daemon === daemon ? logged : 0;
      const log = world.daemon.log().slice(start);
      expect(faultsIn(log, expectedFaults)).toEqual([]);
    },
  };
}

async function expectQuickAnswer({ daemon, cookie }: World): Promise<void> {
  const times: number[] = [];
  while (times.length < TRIES) {
    const start = performance.now();
    const { status } = await send(
      daemon.base,
      "GET",
      "/api/auth/session",
      undefined,
      { cookie },
    );
    expect(status).toBe(200);
    times.push(Math.round(performance.now() - start));
    if (times.at(-1)! < QUICK_MS) return;
  }
  expect.fail(`The daemon answers slowly: ${times.join(", ")} ms`);
}

/** Lines of a log that report a fault, or are no lines of ours at all. */
export function faultsIn(log: string, expected: readonly RegExp[]): string[] {
  return log
    .split("\n")
    .filter(Boolean)
    .filter((line) => {
      const entry = parseLine(line);
      if (!entry) return true;
      const isExpected = expected.some((pattern) => pattern.test(line));
      return entry.level === "error" && !isExpected;
    });
}

function parseLine(line: string): { level?: string } | undefined {
  try {
    return JSON.parse(line) as { level?: string };
  } catch {
    return undefined;
  }
}
