import { createMinuteWalk } from "../support/minute-walk.ts";
import { findEdges } from "./edges.ts";
import { createRandom } from "./random.ts";
import { playRealDaemon } from "./real-daemon.ts";
import type { Summary } from "./simulate.ts";
import { noFindings } from "./verdict.ts";

/** Runs the real plugin across an edge of each zone, again and again until at least `least` slots were checked. */
export async function simulateReal(
  seed: number,
  zones: readonly string[],
  least: number,
): Promise<Summary> {
  const summary: Summary = {
    ...noFindings(),
    seed,
    zones: 0,
    scenarios: 0,
  };
  for (let count = 0; summary.slots < least; count++) {
    const random = createRandom(seed + 104_729 * count);
    const zone = zones[count % zones.length]!;
    const edge = random.pick(findEdges(zone));
    await playRealDaemon({ zone, edge }, random, createMinuteWalk(), summary);
    summary.scenarios++;
    summary.zones = Math.min(summary.scenarios, zones.length);
  }
  return summary;
}
