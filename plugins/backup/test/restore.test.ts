import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  AgentDirectory,
  type AgentBrief,
} from "@gantry/plugin-agents/contract";
import { AutomationActivity } from "@gantry/plugin-automations/contract";
import type { ActiveRun } from "@gantry/plugin-automations/contract";
import { provideFake } from "@gantry/plugin-testing";
import { describe, expect, test } from "vitest";
import { RestoreBegun, RestoreEnded } from "../src/contract.ts";
import {
  putRecord,
  startBackup,
  type BackupBench,
} from "./support/backup-bench.ts";

const NOWHERE = "snap_aaaaaaaaaaaaaaaaaaaaaaaa";
const SNIPPETS = "snippets:snippet";

/** Three snippets, an automation and two files in a snapshot; then one of each is changed, added and removed. */
async function changeAfterSnapshot(bench: BackupBench): Promise<string> {
  const { home } = bench;
  putRecord(home, SNIPPETS, "snp_a", { title: "Same" });
  putRecord(home, SNIPPETS, "snp_b", { title: "Before" });
  putRecord(home, SNIPPETS, "snp_c", { title: "Removed later" });
  home.entries.set("snippets:snippet~newest:2026:snp_a", "{}");
  putRecord(home, "automations:automation", "aut_a", { name: "Brief" });
  home.entries.set("kernel:events:1", "{}");
  await bench.fill("agents/transcripts/same.jsonl", "same");
  await bench.fill("agents/transcripts/grows.jsonl", "one");
  const { snapshot } = await bench.backUp();
  await bench.kernel.clock.advance(1000);
  putRecord(home, SNIPPETS, "snp_b", { title: "After" });
  home.entries.delete(`${SNIPPETS}:snp_c`);
  putRecord(home, SNIPPETS, "snp_d", { title: "Added later" });
  putRecord(home, "inbox:item", "inb_a", { title: "New" });
  home.entries.set("kernel:events:2", "{}");
  await bench.fill("agents/transcripts/grows.jsonl", "one\ntwo");
  await bench.fill("agents/transcripts/new.jsonl", "new");
  return snapshot.id;
}

const titles = ({ home }: BackupBench) =>
  [...home.entries]
    .filter(([key]) => key.startsWith(`${SNIPPETS}:`))
    .map(([key, text]) => [
      key.slice(SNIPPETS.length + 1),
      (JSON.parse(text) as { data: { title: string } }).data.title,
    ])
    .sort();

describe("a whole restore", () => {
  test("brings all of it back, after a snapshot of what was there", async () => {
    await using bench = await startBackup();
    const id = await changeAfterSnapshot(bench);
    const present = [...bench.home.entries];
    const answer = await bench.restore({ id });
    const { safetySnapshotId } = answer.body;
    expect(answer).toMatchObject({
      status: 200,
      body: { ok: true, restarts: true },
    });
    expect(titles(bench)).toEqual([
      ["snp_a", "Same"],
      ["snp_b", "Before"],
      ["snp_c", "Removed later"],
    ]);
    const transcripts = join(bench.home.data, "agents/transcripts");
    expect((await readdir(transcripts)).sort()).toEqual([
      "grows.jsonl",
      "same.jsonl",
    ]);
    expect(bench.home.replacements).toEqual([
      {
        stage: expect.stringContaining(bench.home.folder) as string,
        mode: "replace",
        keepsSessions: false,
        note: { snapshotId: id, only: null, safetySnapshotId },
      },
    ]);
    const [safety] = await bench.list();
    expect(safety).toMatchObject({ id: safetySnapshotId, reason: "safety" });
    expect(bench.kernel.events.all(RestoreBegun)).toMatchObject([
      { subject: id, data: { only: null } },
    ]);

    // It brings back what the restore took away.
    expect((await bench.restore({ id: safetySnapshotId })).status).toBe(200);
    expect([...bench.home.entries].sort()).toEqual(present.sort());
  });

  test("keeps browsers paired if asked", async () => {
    await using bench = await startBackup();
    const { id } = (await bench.backUp()).snapshot;
    await bench.restore({ id, keepsSessions: true });
    expect(bench.home.replacements[0]?.keepsSessions).toBe(true);
  });

  test("leaves conversations alone that the snapshot was made without", async () => {
    await using bench = await startBackup();
    await bench.change({ includeTranscripts: false });
    await bench.fill("agents/settings.json", "old");
    await bench.fill("agents/transcripts/one.jsonl", "one");
    const { snapshot } = await bench.backUp();
    expect(snapshot).toMatchObject({ hasTranscripts: false, files: 1 });
    await bench.fill("agents/settings.json", "new");
    await bench.fill("agents/transcripts/two.jsonl", "two");
    const { id } = snapshot;
    const { preview } = (await bench.restore({ id, preview: true })).body;
    expect(preview.parts).toMatchObject([
      { name: "agents", added: 0, changed: 1, left: 2, removed: 0 },
    ]);
    expect((await bench.restore({ id })).status).toBe(200);
    const read = (path: string) =>
      readFile(join(bench.home.data, "agents", path), "utf8");
    expect(await read("settings.json")).toBe("old");
    expect(await read("transcripts/one.jsonl")).toBe("one");
    expect(await read("transcripts/two.jsonl")).toBe("two");
  });

  test("is told of once, by the daemon that runs afterwards", async () => {
    await using bench = await startBackup();
    const { id } = (await bench.backUp()).snapshot;
    const { safetySnapshotId } = (await bench.restore({ id })).body;
    await bench.kernel.restart();
    const ended = () => bench.logged(RestoreEnded.type);
    await expect.poll(ended).toHaveLength(1);
    await bench.kernel.restart();
    await bench.kernel.restart();
    expect(await ended()).toMatchObject([
      { subject: id, data: { only: null, failure: null } },
    ]);
    expect((await bench.state()).lastRestore).toEqual({
      at: expect.stringMatching(/Z$/) as string,
      snapshotId: id,
      only: null,
      safetySnapshotId,
      failure: null,
    });
  });
});

describe("a restore of parts", () => {
  test("adds and changes what the snapshot has, and leaves the rest", async () => {
    await using bench = await startBackup();
    const id = await changeAfterSnapshot(bench);
    const answer = await bench.restore({ id, only: "snippets" });
    expect(answer).toMatchObject({
      status: 200,
      body: { ok: true, restarts: false },
    });
    expect(titles(bench)).toEqual([
      ["snp_a", "Same"],
      ["snp_b", "Before"],
      ["snp_c", "Removed later"],
      ["snp_d", "Added later"],
    ]);
    expect(bench.home.entries.has("inbox:item:inb_a")).toBe(true);
    expect(bench.home.replacements).toMatchObject([
      { mode: "merge", keepsSessions: true, note: { only: ["snippets"] } },
    ]);
    const transcripts = join(bench.home.data, "agents/transcripts");
    expect(await readdir(transcripts)).toHaveLength(3);
    expect(bench.kernel.events.all(RestoreEnded)).toMatchObject([
      { data: { only: ["snippets"], failure: null } },
    ]);
  });

  test("takes one kind of records, and each part once", async () => {
    await using bench = await startBackup();
    const id = await changeAfterSnapshot(bench);
    const only = [SNIPPETS, SNIPPETS, "agents", "agents"];
    expect((await bench.restore({ id, only })).status).toBe(200);
    expect(bench.home.replacements).toMatchObject([
      { note: { only: [SNIPPETS, "agents"] } },
    ]);
    expect(titles(bench)).toHaveLength(4);
    const grows = join(bench.home.data, "agents/transcripts/grows.jsonl");
    expect(await readFile(grows, "utf8")).toBe("one");
  });

  test.each([
    ["kernel"],
    ["backup"],
    ["backup:settings"],
    ["nothing"],
    ["snippets:nothing"],
    ["snippets:snippet~newest"],
    ["../snippets"],
    ["constructor"],
  ])("%s cannot be restored alone", async (name) => {
    await using bench = await startBackup();
    const id = await changeAfterSnapshot(bench);
    for (const preview of [false, true]) {
      const answer = await bench.restore({
        id,
        only: ["snippets", name],
        preview,
      });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: "BACKUP_ONLY_UNKNOWN" },
      });
      expect(answer.body.detail).toContain("automations:automation");
    }
    expect(bench.home.replacements).toEqual([]);
    expect(await bench.list()).toHaveLength(1);
  });
});

describe("a preview", () => {
  test("tells by part what would be added, changed, left and removed", async () => {
    await using bench = await startBackup();
    const id = await changeAfterSnapshot(bench);
    const before = [...bench.home.entries];
    const { preview } = (await bench.restore({ id, preview: true })).body;
    expect(preview).toMatchObject({ snapshot: { id }, only: null });
    expect(preview.parts).toEqual([
      {
        name: "agents",
        ...{ added: 0, changed: 1, left: 1, removed: 1 },
        examples: [
          { id: "transcripts/grows.jsonl", title: null, change: "changed" },
          { id: "transcripts/new.jsonl", title: null, change: "removed" },
        ],
      },
      {
        name: "automations",
        ...{ added: 0, changed: 0, left: 1, removed: 0 },
        examples: [],
      },
      {
        name: "inbox",
        ...{ added: 0, changed: 0, left: 0, removed: 1 },
        examples: [{ id: "inb_a", title: "New", change: "removed" }],
      },
      {
        name: "snippets",
        ...{ added: 1, changed: 1, left: 1, removed: 1 },
        examples: [
          { id: "snp_b", title: "Before", change: "changed" },
          { id: "snp_c", title: "Removed later", change: "added" },
          { id: "snp_d", title: "Added later", change: "removed" },
        ],
      },
    ]);
    expect([...bench.home.entries]).toEqual(before);
    expect(bench.home.replacements).toEqual([]);
    expect(await bench.list()).toHaveLength(1);
    expect(bench.home.openImages).toBe(0);
  });

  test("of parts removes nothing", async () => {
    await using bench = await startBackup();
    const id = await changeAfterSnapshot(bench);
    const only = [SNIPPETS, "agents"];
    const { preview } = (await bench.restore({ id, only, preview: true })).body;
    expect(preview).toMatchObject({
      only,
      parts: [
        { name: "agents", added: 0, changed: 1, left: 2, removed: 0 },
        { name: SNIPPETS, added: 1, changed: 1, left: 2, removed: 0 },
      ],
    });
  });

  test("counts the agents that would be closed", async () => {
    const agent: AgentBrief = {
      ...{ id: "agt_a", name: "A", cwd: "/", cli: "pi" },
      ...({ state: "open", activity: "working" } as const),
    };
    const directory = provideFake(AgentDirectory, {
      list: async ({ state }) => ({ items: state === "open" ? [agent] : [] }),
    });
    await using bench = await startBackup({ beside: [directory] });
    const id = await changeAfterSnapshot(bench);
    const closes = async (only?: string) =>
      (await bench.restore({ id, only, preview: true })).body.preview
        .closesAgents;
    expect(await closes()).toBe(1);
    expect(await closes("agents")).toBe(1);
    expect(await closes("snippets")).toBe(0);
  });
});

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

  test("a damaged one, before anything is touched", async () => {
    await using bench = await startBackup();
    const id = await changeAfterSnapshot(bench);
    const [snapshot] = await bench.list();
    const [archive] = (await readdir(snapshot!.path)).filter((name) =>
      name.startsWith("snippets"),
    );
    const path = join(snapshot!.path, archive!);
    const bytes = await readFile(path);
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
    bench.home.replace = () => Promise.reject(new TypeError("No stage."));
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
