import { expect, test } from "vitest";
import { surviveKillsInBackups } from "../support/backup-kills/survive-kills-in-backups.ts";
import { surviveKillsInRestores } from "../support/backup-kills/survive-kills-in-restores.ts";

/** Kills of each kind. */
const ROUNDS = Number(process.env.GANTRY_KILL_ROUNDS ?? 100);

test(`${ROUNDS} kills while snapshots are made leave none that is half, and lose none`, async () => {
  const found = await surviveKillsInBackups(ROUNDS);
  console.log(`Kills in backups: ${JSON.stringify(found)}`);
  expect(found.half).toBeGreaterThan(ROUNDS / 10);
  expect(found.written).toBeGreaterThan(ROUNDS);
  expect(found.acknowledged).toBeGreaterThan(ROUNDS / 10);
});

test(`${ROUNDS} kills while a snapshot is restored leave all of it or nothing of it`, async () => {
  const found = await surviveKillsInRestores(ROUNDS);
  console.log(`Kills in restores: ${JSON.stringify(found)}`);
  expect(found.undone).toBeGreaterThan(ROUNDS / 10);
  expect(found.done).toBeGreaterThan(ROUNDS / 10);
});
