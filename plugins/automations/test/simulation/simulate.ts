import { createSlots } from "../../src/schedule/slots.ts";
import { createMinuteWalk } from "../support/minute-walk.ts";
import { findEdges } from "./edges.ts";
import { createRandom } from "./random.ts";
import { playScenario } from "./scenario.ts";
import { noFindings } from "./verdict.ts";
import type { Findings } from "./verdict.ts";

/** What a simulation looked at, and what it found. */
export interface Summary extends Findings {
  seed: number;
  zones: number;
  scenarios: number;
}

/** The seed that is asked for, to see a run again; else another one each time, so that each finds something else. */
export function chooseSeed(): number {
  return givenSeed() ?? Math.floor(Math.random() * 2 ** 31);
}

/** The seed in `GANTRY_SIMULATION_SEED`, if there is one. */
export function givenSeed(): number | undefined {
  const given = process.env["GANTRY_SIMULATION_SEED"];
  return given === undefined ? undefined : Number(given);
}

/** Repeats all zones until at least `least` slots were checked, each zone at least once. */
export function simulate(
  seed: number,
  zones: readonly string[],
  least: number,
): Summary {
  const summary: Summary = {
    ...noFindings(),
    seed,
    zones: zones.length,
    scenarios: 0,
  };
  const slots = createSlots();
  for (let round = 0; round === 0 || summary.slots < least; round++) {
    for (const [index, zone] of zones.entries()) {
      const random = createRandom(
        seed + 7_919 * (round * zones.length + index),
      );
      const edges = findEdges(zone);
      // What a clock showed is remembered for as long as one zone is looked at.
      const walk = createMinuteWalk();
      for (const edge of edges) {
        // All edges in the first round, some of them later.
        if (round > 0 && random.chance(0.5)) continue;
        const found = noFindings();
        playScenario({ zone, edge }, random, { slots, walk }, found);
        summary.slots += found.slots;
        summary.scenarios++;
        for (const kind of ["lost", "doubled", "silent", "wrong"] as const)
          summary[kind].push(
            ...found[kind].map((text) => `${text} (round ${round})`),
          );
      }
      if (round > 0 && summary.slots >= least) break;
    }
  }
  return summary;
}

export function describeSummary(summary: Summary): string {
  const { seed, slots, zones, scenarios, lost, doubled, silent, wrong } =
    summary;
  const problems = { lost, doubled, silent, wrong };
  const lines = Object.entries(problems).flatMap(([kind, found]) =>
    found.slice(0, 5).map((text) => `  ${kind}: ${text}`),
  );
  return [
    `seed ${seed}: ${slots} slots, ${zones} zones, ${scenarios} scenarios; ${lost.length} lost, ${doubled.length} doubled, ${silent.length} silent, ${wrong.length} wrong`,
    ...lines,
  ].join("\n");
}
