import type { Engine } from "@gantry/store/engine";
import { EVENT_FLOOR_KEY, EVENT_PREFIX } from "@gantry/store/store-core";
import type { EventFloor } from "@gantry/store/store-core";

/** Numbers left free where it is not known which ones were given before. */
const UNKNOWN_EVENTS = 1_000_000;

/** The number in the key of an event; 0 for no event. */
export function eventNumberOf(key: string | undefined): number {
  if (!key?.startsWith(EVENT_PREFIX)) return 0;
  const number = Number(key.slice(EVENT_PREFIX.length));
  return Number.isSafeInteger(number) ? number : 0;
}

/**
 * Where the events of a replaced store continue: after all numbers that were ever given, so that none is given twice and a
 * client that comes back with an older one is told to start over.
 *
 * @param former The newest number before, `undefined` if that is not known.
 */
export function makeFloor(
  stage: string,
  former: number | undefined,
  staged: number,
): EventFloor {
  const after =
    former === undefined
      ? staged + UNKNOWN_EVENTS
      : Math.max(former, staged) + 1;
  return { after, stage };
}

/** Writes the floor of a replacement, unless it is there from before an interruption. */
export async function writeFloor(
  engine: Engine,
  stage: string,
  staged: number,
): Promise<void> {
  const floor = (await engine.get(EVENT_FLOOR_KEY)) as EventFloor | undefined;
  if (floor?.stage === stage) return;
  const [newest] = await engine.scan({
    from: EVENT_PREFIX,
    to: `${EVENT_PREFIX}:`,
    limit: 1,
    reverse: true,
  });
  const former = Math.max(eventNumberOf(newest?.key), floor?.after ?? 0);
  const value = makeFloor(stage, former, staged);
  await engine.commit([{ type: "set", key: EVENT_FLOOR_KEY, value }]);
}
