import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { thoroughUnless } from "@gantry/build/testing";
import { expect, onTestFailed, test } from "vitest";
import { chromiumPath } from "../../support/browser.ts";
import { beginHealthCheck } from "../world/health.ts";
import type { State } from "../world/state.ts";
import { createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { makeTrials } from "./judge.ts";
import type { AttackRow, ProvedRow, Row, Scene, WaitingRow } from "./row.ts";
import type { Table } from "./table.ts";

/** What rows are run against; it is there once the tests have begun. */
export interface Stage {
  readonly world: World;
  readonly scene: Scene;
}

/** Makes a test of every row. */
export function runRows(
  rows: readonly Row[],
  stage: () => Stage,
  table: Table,
): void {
  for (const row of rows) {
    const isAttack = !("waitsFor" in row || "provedBy" in row);
    const tags = thoroughUnless(!isAttack || row.everyChange === true);
    test(`${row.id} ${row.title}`, { tags }, async ({ skip }) => {
      onTestFailed(() => table.note(row, "failed"));
      const leaveOut = (reason: string) => {
        table.note(row, "left out", reason);
        skip(reason);
      };
      if ("waitsFor" in row) {
        expectNotDue(row, stage().world);
        return leaveOut(`waits for ${row.waitsFor}`);
      }
      if ("provedBy" in row) {
        expectProof(row);
        const files = new Set(row.provedBy.map(([file]) => file));
        return table.note(row, "proved elsewhere", [...files].join(", "));
      }
      if (row.inBrowser && chromiumPath === undefined)
        return leaveOut("there is no browser on this machine");
      await attack(row, stage(), table);
      table.note(row, "passed");
    });
  }
}

async function attack(
  row: AttackRow,
  { world, scene }: Stage,
  table: Table,
): Promise<void> {
  if (!row.ownDaemon) return attackIn(world, row, scene, table);
  await using own = await createWorld(`attack-${row.id}`);
  await attackIn(own, row, scene, table);
}

async function attackIn(
  world: World,
  row: AttackRow,
  scene: Scene,
  table: Table,
): Promise<void> {
  const health = beginHealthCheck(world);
  const before = row.changes ? undefined : await world.state.read();
  if (row.warmUp) {
    await row.warmUp(world);
    health.noteMemory();
  }
  const expectUnchanged = async () => {
    if (before)
      expect(differences(before, await world.state.read())).toEqual([]);
  };
  if (row.trials) {
    table.count(await makeTrials(world, row.trials(world)));
    await expectUnchanged();
    // What is compiled and filled at the first use, looking at the state included, comes once, and the room that the
    // collector of garbage takes first comes a few times; what an attack costs comes with each.
    for (let again = 0; again < MAX_AGAIN && health.mayHaveLoaded(); again++) {
      health.noteMemory();
      await makeTrials(world, row.trials(world));
    }
  }
  await row.run?.(world, scene);
  await expectUnchanged();
  await health.expectAlive(row.faults);
}

/** How often the trials of a row are made again before the growth of the daemon is held against them. */
const MAX_AGAIN = 4;
const MAX_TEXT_SHOWN = 300;

/** What is not as it was: few words, since a whole state is thousands of lines. */
function differences(before: State, after: State): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const tell = (text = "nothing") => text.slice(0, MAX_TEXT_SHOWN);
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${tell(before[name])} -> ${tell(after[name])}`);
}

/** A row that waits must not be forgotten when what it waits for has come. */
function expectNotDue(row: WaitingRow, { routes }: World): void {
  expect(
    row.isDue(routes),
    `${row.waitsFor}: that is there now, so row ${row.id} is to be written`,
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
