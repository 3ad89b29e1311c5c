import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AutomationActivity } from "@gantry/plugin-automations/contract";
import type { ActiveRun } from "@gantry/plugin-automations/contract";
import { provideFake } from "@gantry/plugin-testing";
import { describe, expect, test } from "vitest";
import { RestoreBegun } from "../src/contract.ts";
import { startBackup } from "./support/backup-bench.ts";
import {
  changeAfterSnapshot,
  titles,
} from "./support/change-after-snapshot.ts";

const NOWHERE = "snap_aaaaaaaaaaaaaaaaaaaaaaaa";

describe("refused", () => {
  test.each([
    [{}],
    [{ id: 5 }],
    [{ id: NOWHERE, only: [] }],
    [{ id: NOWHERE, only: "" }],
    [{ id: NOWHERE, only: [7] }],
    [{ id: NOWHERE, only: Array.from({ length: 31 }, String) }],
    [{ id: NOWHERE, preview: "yes" }],
    [{ id: NOWHERE, keepsSessions: null }],
    [{ id: NOWHERE, path: "/etc" }],
  ])("%j is no input", async (body) => {
    await using bench = await startBackup();
    expect(await bench.restore(body)).toMatchObject({
      status: 400,
      body: { code: "INPUT_INVALID" },
    });
  });

  test("an unknown snapshot", async () => {
    await using bench = await startBackup();
    for (const id of [NOWHERE, "../../etc/passwd", "snap_..", ""])
      expect(await bench.restore({ id })).toMatchObject({
        status: 404,
        body: { code: "BACKUP_SNAPSHOT_NOT_FOUND" },
      });
  });

  test("while a run of an automation has not ended", async () => {
    let running: ActiveRun[] = [];
    const activity = provideFake(AutomationActivity, {
      activeRuns: async () => ({ items: running }),
    });
    await using bench = await startBackup({ beside: [activity] });
    const id = await changeAfterSnapshot(bench);
    running = [
      {
        ...{ runId: "run_a", automationId: "aut_a" },
        ...{ automationName: "Morning brief", startedAt: null },
      },
    ];
    for (const only of [undefined, "agents", "automations:automation"]) {
      const answer = await bench.restore({ id, only });
      expect(answer).toMatchObject({
        status: 409,
        body: { code: "BACKUP_BUSY" },
      });
      expect(answer.body.detail).toContain("Morning brief");
    }
    expect(bench.home.replacements).toEqual([]);
    expect(await bench.list()).toHaveLength(1);
    // What leaves agents alone does not have to wait.
    expect((await bench.restore({ id, only: "snippets" })).status).toBe(200);
  });

  test("when a run begins while the snapshot is staged", async () => {
    let running: ActiveRun[] = [];
    const activity = provideFake(AutomationActivity, {
      activeRuns: async () => ({ items: running }),
    });
    await using bench = await startBackup({ beside: [activity] });
    const id = await changeAfterSnapshot(bench);
    const { stage } = bench.home;
    bench.home.stage = async () => {
      const path = await stage();
      running = [
        {
          ...{ runId: "run_a", automationId: "aut_a" },
          ...{ automationName: "Brief", startedAt: null },
        },
      ];
      return path;
    };
    expect(await bench.restore({ id })).toMatchObject({
      body: { code: "BACKUP_BUSY" },
    });
    expect(bench.home.replacements).toEqual([]);
    expect(await readdir(join(bench.home.folder, "stages"))).toEqual([]);
    expect(bench.kernel.events.all(RestoreBegun)).toEqual([]);
  });

  test("a damaged one, before anything is touched, until it is repaired", async () => {
    await using bench = await startBackup();
    const id = await changeAfterSnapshot(bench);
    const [snapshot] = await bench.list();
    const [archive] = (await readdir(snapshot!.path)).filter((name) =>
      name.startsWith("snippets"),
    );
    const path = join(snapshot!.path, archive!);
    const whole = await readFile(path);
    const bytes = Buffer.from(whole);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(path, bytes);
    const damaged = { code: "BACKUP_SNAPSHOT_CORRUPT" };
    expect(await bench.restore({ id })).toMatchObject({
      status: 400,
      body: damaged,
    });
    expect(bench.home.replacements).toEqual([]);
    // There is no safety snapshot either, and the damage is shown.
    expect(await bench.list()).toMatchObject([{ id, problem: damaged }]);
    expect(bench.kernel.events.all(RestoreBegun)).toEqual([]);
    await writeFile(path, whole);
    expect((await bench.restore({ id })).status).toBe(200);
    const restored = (await bench.list()).find((one) => one.id === id);
    expect(restored).toMatchObject({ problem: null, standing: "not-proven" });
  });

  test("one that is deleted meanwhile", async () => {
    await using bench = await startBackup();
    const id = await changeAfterSnapshot(bench);
    const [snapshot] = await bench.list();
    const { stage } = bench.home;
    bench.home.stage = async () => {
      await rm(snapshot!.path, { recursive: true });
      return await stage();
    };
    const answer = await bench.restore({ id });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.code).toMatch(/^BACKUP_/);
    expect(bench.home.replacements).toEqual([]);
    expect(await readdir(join(bench.home.folder, "stages"))).toEqual([]);
    expect((await bench.state()).job).toBeNull();
  });

  test("when the home cannot take it: then all is as it was, and said to be", async () => {
    await using bench = await startBackup();
    const id = await changeAfterSnapshot(bench);
    bench.home.replace = async ({ beforeReplacing }) => {
      await beforeReplacing?.();
      throw new TypeError("No stage.");
    };
    const before = titles(bench);
    expect(await bench.restore({ id })).toMatchObject({
      status: 500,
      body: { code: "BACKUP_RESTORE_FAILED" },
    });
    expect(titles(bench)).toEqual(before);
    expect(bench.told().slice(-2)).toEqual([
      "backup.restore-begun",
      "backup.restore-ended",
    ]);
  });
});
