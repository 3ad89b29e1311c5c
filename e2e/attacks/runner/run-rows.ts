import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { chromiumPath } from "../../support/browser.ts";
import { beginHealthCheck } from "../world/health.ts";
import type { State } from "../world/state.ts";
import { createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { makeTrials } from "./judge.ts";
import type { AttackRow, ProvedRow, Row, Scene, WaitingRow } from "./row.ts";

/** What rows are run against; it is there once the tests have begun. */
export interface Stage {
  readonly world: World;
  readonly scene: Scene;
}

/** Makes a test of every row. */
export function runRows(rows: readonly Row[], stage: () => Stage): void {
  for (const row of rows) {
    const name = `${row.id} ${row.title}`;
    if ("waitsFor" in row)
      test(name, ({ skip }) => {
        expectNotDue(row, stage().world);
        skip(`waits for ${row.waitsFor}`);
      });
    else if ("provedBy" in row) test(name, () => expectProof(row));
    else
      test(name, async ({ skip }) => {
        if (row.inBrowser && chromiumPath === undefined)
          skip("there is no browser on this machine");
        const { world: shared, scene } = stage();
        if (!row.ownDaemon) return attack(row, shared, scene);
        await using world = await createWorld(`attack-${row.id}`);
        await attack(row, world, scene);
      });
  }
}

async function attack(
  row: AttackRow,
  world: World,
  scene: Scene,
): Promise<void> {
  const health = beginHealthCheck(world);
  const before = row.changes ? undefined : await world.state.read();
  if (row.trials) await makeTrials(world, row.trials(world));
  await row.run?.(world, scene);
  if (before) expect(differences(before, await world.state.read())).toEqual([]);
  await health.expectAlive(row.faults);
}

const LONGEST_TOLD = 300;

/** What is not as it was: few words, since a whole state is thousands of lines. */
function differences(before: State, after: State): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const tell = (text = "nothing") => text.slice(0, LONGEST_TOLD);
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${tell(before[name])} -> ${tell(after[name])}`);
}

/** A row that waits must not be forgotten when what it waits for has come. */
function expectNotDue(row: WaitingRow, { routes }: World): void {
  expect(
    row.isDue(routes),
    `${row.waitsFor} is there now, so row ${row.id} is to be written`,
  ).toBe(false);
}

/** A proof elsewhere counts as long as it is there. */
function expectProof({ provedBy }: ProvedRow): void {
  for (const [file, title] of provedBy) {
    const path = fileURLToPath(new URL(`../../../${file}`, import.meta.url));
    expect(existsSync(path), `${file} is there`).toBe(true);
    expect(readFileSync(path, "utf8"), `${file} has the test`).toContain(title);
  }
}
