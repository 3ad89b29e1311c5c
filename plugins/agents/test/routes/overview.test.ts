import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";

interface Sum {
  turns: number;
  ends: Record<string, number>;
  usage: { costUsd: number | null; inputTokens: number | null };
  unknown: { cost: number; tokens: number };
}

interface Usage {
  from: string;
  to: string;
  by: string;
  items: (Sum & { key: string | null; name: string | null })[];
  rest: { rows: number };
  total: Sum;
  since: string | null;
}

let agents: AgentsKernel;
let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gantry-overview-")));
  agents = await AgentsKernel.start({
    fakeTime: true,
    startAt: "2026-03-01T23:30:00.000Z",
    clis: { pi: standIn("fake-pi", { FAKE_PI_HOME: folder }) },
  });
  const first = await agents.create({ cli: "practice", name: "First" });
  const second = await agents.create({ cli: "pi", name: "Second" });
  await agents.ask(first.id, "[[cost:1]][[reply:a]]");
  await agents.ask(second.id, "[[reply:b]]");
  await agents.kernel.clock.advance(60 * 60_000);
  await agents.ask(first.id, "[[cost:2]][[reply:c]]");
  await agents.ask(first.id, "[[reply:free of charge]]");
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(folder, { recursive: true, force: true });
});

const usage = async (query: Record<string, string> = {}) =>
  (await agents.kernel.api.get<Usage>("/api/usage", query)).body;

describe("usage", () => {
  test("is summed by UTC day, newest first", async () => {
    const { items, total, from, to } = await usage({
      from: "2026-02-25",
      to: "2026-03-02",
    });
    expect([from, to]).toEqual(["2026-02-25", "2026-03-02"]);
    expect(items.map(({ key, turns }) => [key, turns])).toEqual([
      ["2026-03-02", 2],
      ["2026-03-01", 2],
    ]);
    expect(items[0]?.usage.costUsd).toBe(2);
    expect(items[1]?.usage.costUsd).toBeCloseTo(1.0006, 9);
    expect(total.turns).toBe(4);
    expect(total.usage.costUsd).toBeCloseTo(3.0006, 9);
  });

  test("is summed by agent, model and automation", async () => {
    expect(
      (await usage({ by: "agent" })).items.map(({ name, turns }) => [
        name,
        turns,
      ]),
    ).toEqual([
      ["First", 3],
      ["Second", 1],
    ]);
    expect(
      (await usage({ by: "model" })).items.map(({ key, turns }) => [
        key,
        turns,
      ]),
    ).toEqual([
      [null, 3],
      ["fake/fake-1", 1],
    ]);
    expect((await usage({ by: "automation" })).items).toMatchObject([
      { key: null, turns: 4 },
    ]);
  });

  test("that is unknown is null, not 0", async () => {
    const { items } = await usage({ by: "agent" });
    expect(
      items.find(({ name }) => name === "First")?.usage.inputTokens,
    ).toBeNull();
    expect(
      (await usage({ from: "2020-01-01", to: "2020-01-02" })).total,
    ).toEqual({
      turns: 0,
      ends: { end: 0, cancelled: 0, refused: 0, error: 0 },
      usage: { inputTokens: null, outputTokens: null, costUsd: null },
      unknown: { cost: 0, tokens: 0 },
    });
  });

  test("says of how many turns the cost or the tokens are unknown, and how turns ended", async () => {
    const { total, items } = await usage({ by: "agent" });
    expect(total.unknown).toEqual({ cost: 1, tokens: 3 });
    expect(items[1]).toMatchObject({ unknown: { cost: 0, tokens: 0 } });
    expect(total.ends).toEqual({ end: 4, cancelled: 0, refused: 0, error: 0 });
  });

  test("is told by the days and hours of a zone", async () => {
    const days = async (timeZone: string, range = {}) =>
      (await usage({ timeZone, ...range })).items.map(({ key, turns }) => [
        key,
        turns,
      ]);
    // The first two turns ended at 23:30, the others at 00:30 UTC.
    expect(await days("Europe/Berlin")).toEqual([["2026-03-02", 4]]);
    expect(await days("America/New_York")).toEqual([["2026-03-01", 4]]);
    const early = { from: "2026-03-02", to: "2026-03-02", by: "hour" };
    expect(await days("Asia/Kathmandu", early)).toEqual([
      ["2026-03-02T06", 2],
      ["2026-03-02T05", 2],
    ]);
    const late = { from: "2026-03-01", to: "2026-03-01" };
    expect(await days("Europe/Berlin", late)).toEqual([]);
  });

  test("tells since when there is any, by the same days", async () => {
    const query = { from: "2026-03-02", to: "2026-03-02" };
    expect((await usage(query)).since).toBe("2026-03-01");
    expect((await usage({ timeZone: "Asia/Tokyo" })).since).toBe("2026-03-02");
  });

  test("is of the last 30 days unless said", async () => {
    expect(await usage()).toMatchObject({
      from: "2026-02-01",
      to: "2026-03-02",
      by: "day",
    });
  });

  test.each([
    [{ from: "2026-03-02", to: "2026-03-01" }],
    [{ from: "2020-01-01", to: "2026-03-01" }],
    [{ from: "2026-02-30" }],
    [{ from: "yesterday" }],
    [{ by: "colour" }],
    [{ since: "2026-01-01" }],
    [{ timeZone: "Middle/Earth" }],
    [{ from: "2026-02-01", to: "2026-03-01", by: "hour" }],
  ])("%j is 400", async (query: Record<string, string>) => {
    expect((await agents.kernel.api.get("/api/usage", query)).status).toBe(400);
  });
});

describe("workspaces", () => {
  test("a folder is one workspace, however often and by whom it is added", async () => {
    const add = (body: object) =>
      agents.kernel.api.post<{ id: string; path: string; name: string }>(
        "/api/workspaces",
        body,
      );
    const answers = await Promise.all([
      add({ path: folder }),
      add({ path: folder }),
      add({ path: `${folder}/.` }),
    ]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ path: folder, revision: 1 });
    const agent = await agents.create({ cli: "practice", cwd: folder });
    expect(agent.workspaceId).toBe(answers[0]?.body.id);
    const { items } = (
      await agents.kernel.api.get<{ items: object[] }>("/api/workspaces")
    ).body;
    expect(items).toHaveLength(1);
    expect(items[0]).not.toHaveProperty("key");
  });

  test.each([
    [{}],
    [{ path: "/no/such/folder" }],
    [{ path: "relative" }],
    [{ path: "/tmp", extra: 1 }],
  ])("%j is 400", async (body) => {
    expect((await agents.kernel.api.post("/api/workspaces", body)).status).toBe(
      400,
    );
  });
});

describe("cwd", () => {
  test("says whether the folder is still there", async () => {
    const { id, cwd } = await agents.create({ cli: "practice" });
    const look = () => agents.kernel.api.get(`/api/agents/${id}/cwd`);
    expect((await look()).body).toEqual({
      cwd,
      exists: true,
      workspaceId: null,
    });
    await rm(cwd, { recursive: true });
    expect((await look()).body).toEqual({
      cwd,
      exists: false,
      workspaceId: null,
    });
    expect(
      await agents.kernel.api.post(`/api/agents/${id}/managed/start`),
    ).toMatchObject({
      status: 400,
      body: { code: "AGENT_FOLDER_INVALID" },
    });
  });
});

test("the document has every operation of this plugin", async () => {
  const { body } = await agents.kernel.api.get<{
    paths: Record<string, Record<string, unknown>>;
  }>("/api/openapi.json");
  const operations = Object.entries(body.paths)
    .filter(([path]) => /^\/api\/(agents|workspaces|usage)/.test(path))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  expect(operations.sort()).toMatchInlineSnapshot(`
    [
      "DELETE /api/agents/{id}",
      "DELETE /api/agents/{id}/tasks/{taskId}",
      "DELETE /api/agents/{id}/worktree",
      "GET /api/agents",
      "GET /api/agents/clis",
      "GET /api/agents/{id}",
      "GET /api/agents/{id}/blob",
      "GET /api/agents/{id}/browse",
      "GET /api/agents/{id}/checklist",
      "GET /api/agents/{id}/cleanup",
      "GET /api/agents/{id}/cwd",
      "GET /api/agents/{id}/delivery",
      "GET /api/agents/{id}/export",
      "GET /api/agents/{id}/file",
      "GET /api/agents/{id}/files",
      "GET /api/agents/{id}/git",
      "GET /api/agents/{id}/git/blob",
      "GET /api/agents/{id}/git/bytes",
      "GET /api/agents/{id}/git/commit",
      "GET /api/agents/{id}/git/discards",
      "GET /api/agents/{id}/git/head",
      "GET /api/agents/{id}/git/shipping",
      "GET /api/agents/{id}/gitdiff",
      "GET /api/agents/{id}/gitstatus",
      "GET /api/agents/{id}/messages",
      "GET /api/agents/{id}/pr",
      "GET /api/agents/{id}/pr/draft",
      "GET /api/agents/{id}/pr/log",
      "GET /api/agents/{id}/role-state",
      "GET /api/agents/{id}/slash",
      "GET /api/agents/{id}/stream",
      "GET /api/agents/{id}/tasks",
      "GET /api/agents/{id}/text",
      "GET /api/agents/{id}/tree",
      "GET /api/agents/{id}/turn-changes",
      "GET /api/agents/{id}/turn-changes/{turnId}",
      "GET /api/usage",
      "GET /api/workspaces",
      "GET /api/workspaces/place",
      "PATCH /api/agents/{id}",
      "POST /api/agents",
      "POST /api/agents/{id}/abort",
      "POST /api/agents/{id}/ask",
      "POST /api/agents/{id}/bash",
      "POST /api/agents/{id}/bash/abort",
      "POST /api/agents/{id}/checklist",
      "POST /api/agents/{id}/clone",
      "POST /api/agents/{id}/close",
      "POST /api/agents/{id}/command",
      "POST /api/agents/{id}/compact",
      "POST /api/agents/{id}/continue",
      "POST /api/agents/{id}/drop",
      "POST /api/agents/{id}/fork",
      "POST /api/agents/{id}/git/commit",
      "POST /api/agents/{id}/git/compose",
      "POST /api/agents/{id}/git/discard",
      "POST /api/agents/{id}/git/programs",
      "POST /api/agents/{id}/git/push",
      "POST /api/agents/{id}/git/stage",
      "POST /api/agents/{id}/git/undo-commit",
      "POST /api/agents/{id}/import",
      "POST /api/agents/{id}/login",
      "POST /api/agents/{id}/managed/start",
      "POST /api/agents/{id}/managed/stop",
      "POST /api/agents/{id}/open",
      "POST /api/agents/{id}/pr",
      "POST /api/agents/{id}/prompt",
      "POST /api/agents/{id}/reveal",
      "POST /api/agents/{id}/share",
      "POST /api/agents/{id}/snippet",
      "POST /api/agents/{id}/tasks",
      "POST /api/agents/{id}/trust",
      "POST /api/agents/{id}/tui-ack",
      "POST /api/agents/{id}/tui-hello",
      "POST /api/agents/{id}/turn-changes/{turnId}/restore",
      "POST /api/agents/{id}/ui",
      "POST /api/agents/{id}/worktree",
      "POST /api/workspaces",
      "PUT /api/agents/{id}/text",
    ]
  `);
});

test("CLIs are listed page by page", async () => {
  interface Page {
    items: { name: string }[];
    nextCursor: string | null;
  }
  const page = async (query: Record<string, string>) =>
    (await agents.kernel.api.get<Page>("/api/agents/clis", query)).body;
  const all = await page({});
  expect(all.nextCursor).toBeNull();
  const names = ["pi", "claude", "codex", "opencode", "gemini", "practice"];
  expect(all.items.map(({ name }) => name)).toEqual(names);
  const listed: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { items, nextCursor }: Page = await page({
      limit: "4",
      ...(cursor === "" ? {} : { cursor }),
    });
    expect(items.length).toBeLessThanOrEqual(4);
    listed.push(...items.map(({ name }) => name));
    cursor = nextCursor;
  }
  expect(listed).toEqual(names);
  expect(
    await agents.kernel.api.get("/api/agents/clis", { cursor: "lost" }),
  ).toMatchObject({ status: 400, body: { code: "AGENT_BAD_CURSOR" } });
});
