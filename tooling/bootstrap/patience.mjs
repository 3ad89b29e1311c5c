import { spawnSync } from "node:child_process";

/** What {@link runSample} takes on the machine by which the limits of tests were chosen, with nothing beside it, in ms. */
const REFERENCE_MS = 300;
/** Nothing that is measured at the start tells how busy the machine is later, so that limits are never shorter. */
const MIN_PATIENCE = 3;
const MAX_PATIENCE = 12;

/**
 * Measures how many times as long tests wait as they would on an idle machine of the reference class: by starting a few
 * processes and computing a little, which is what tests do most. Takes about half a second.
 *
 * @returns {number} a whole number, since some timers take no other: from 3 to 12, 3 for the reference machine
 */
export function measurePatience() {
  const start = performance.now();
  runSample();
  return toPatience(performance.now() - start);
}

/** @param {number} sampleMs What {@link runSample} took. */
export function toPatience(sampleMs) {
  const patience = Math.round(MIN_PATIENCE * (sampleMs / REFERENCE_MS));
  return Math.min(MAX_PATIENCE, Math.max(MIN_PATIENCE, patience));
}

/**
 * The factor of this run, for every limit that only ends what hangs.
 *
 * @param {NodeJS.ProcessEnv} [env] `GANTRY_PATIENCE` is set by `npm test`, which measures it
 * @returns {number} 3 where it was not measured
 */
export function readPatience(env = process.env) {
  const patience = Math.round(Number(env.GANTRY_PATIENCE));
  return patience >= MIN_PATIENCE ? patience : MIN_PATIENCE;
}

function runSample() {
  for (let run = 0; run < 10; run += 1)
    spawnSync(process.execPath, ["--version"]);
  for (let run = 0; run < 3; run += 1)
    spawnSync(process.execPath, ["--eval", "0"]);
  const counts = new Map();
  for (let index = 0; index < 200_000; index += 1) {
    const key = `key-${(index * 7_919) % 1_009}`;
    counts.set(key, (counts.get(key) ?? 0) + key.replace(/\d/g, "#").length);
  }
  JSON.parse(JSON.stringify([...counts]));
}
