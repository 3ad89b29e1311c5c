import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  AgentDirectory,
  type AgentBrief,
} from "@gantry/plugin-agents/contract";
import { provideFake } from "@gantry/plugin-testing";
import { describe, expect, test } from "vitest";
import { RestoreBegun, RestoreEnded } from "../src/contract.ts";
import { startBackup } from "./support/backup-bench.ts";
import {
  changeAfterSnapshot,
  SNIPPETS,
  titles,
} from "./support/change-after-snapshot.ts";

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
    const again = [...bench.home.entries].filter(
      // How the backup is made stays as it is.
      ([key]) => !key.startsWith("backup:"),
    );
    expect(again.sort()).toEqual(present.sort());
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

  test("is reported once, by the daemon that runs afterwards", async () => {
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
    const look = async (only?: string) =>
      (await bench.restore({ id, only, preview: true })).body.preview;
    const closes = async (only?: string) => (await look(only)).closesAgents;
    expect(await closes()).toBe(1);
    expect(await closes("agents")).toBe(1);
    expect(await closes("snippets")).toBe(0);
    // Agents come back without what their CLIs remember.
    for (const only of [undefined, "agents"])
      expect((await look(only)).notes.join()).toContain("own records");
    expect((await look("snippets")).notes).toEqual([]);
  });
});
