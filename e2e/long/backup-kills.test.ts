import { expect, test } from "vitest";
import { ACTS, type Act } from "../support/backup-kills/acts.ts";
import { surviveKillsIn } from "../support/backup-kills/survive-kills-in.ts";
import { surviveKillsInRestores } from "../support/backup-kills/survive-kills-in-restores.ts";

/** Kills of each kind. */
const ROUNDS = Number(process.env.GANTRY_KILL_ROUNDS ?? 100);

test.each(Object.keys(ACTS) as Act[])(
  `${ROUNDS} kills in "%s" lose no acknowledged write and no snapshot`,
  async (act) => {
    const found = await surviveKillsIn(act, ROUNDS);
    console.log(`Kills in ${act}: ${JSON.stringify(found)}`);
    expect(found.acknowledged).toBeGreaterThan(ROUNDS / 20);
    expect(found.acknowledged).toBeLessThan(ROUNDS);
    expect(found.written).toBeGreaterThan(ROUNDS);
  },
);

test(`${ROUNDS} kills while a snapshot is restored leave all of it or nothing of it`, async () => {
  const found = await surviveKillsInRestores(ROUNDS);
  console.log(`Kills in restores: ${JSON.stringify(found)}`);
  expect(found.undone).toBeGreaterThan(ROUNDS / 10);
  expect(found.done).toBeGreaterThan(ROUNDS / 10);
});
