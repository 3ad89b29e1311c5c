import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";

let agents: AgentsKernel;
let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gantry-overview-")));
  agents = await AgentsKernel.start({
    clis: { pi: standIn("fake-pi", { FAKE_PI_HOME: folder }) },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(folder, { recursive: true, force: true });
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
    .filter(([path]) => /^\/api\/(agents|workspaces)/.test(path))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  expect(operations.sort()).toMatchInlineSnapshot(`
    [
      "DELETE /api/agents/{id}",
      "DELETE /api/agents/{id}/tasks/{taskId}",
      "GET /api/agents",
      "GET /api/agents/clis",
      "GET /api/agents/{id}",
      "GET /api/agents/{id}/checklist",
      "GET /api/agents/{id}/cleanup",
      "GET /api/agents/{id}/cwd",
      "GET /api/agents/{id}/export",
      "GET /api/agents/{id}/messages",
      "GET /api/agents/{id}/role-state",
      "GET /api/agents/{id}/slash",
      "GET /api/agents/{id}/stream",
      "GET /api/agents/{id}/tasks",
      "GET /api/agents/{id}/tree",
      "GET /api/workspaces",
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
      "POST /api/agents/{id}/import",
      "POST /api/agents/{id}/login",
      "POST /api/agents/{id}/managed/start",
      "POST /api/agents/{id}/managed/stop",
      "POST /api/agents/{id}/open",
      "POST /api/agents/{id}/prompt",
      "POST /api/agents/{id}/share",
      "POST /api/agents/{id}/snippet",
      "POST /api/agents/{id}/tasks",
      "POST /api/agents/{id}/trust",
      "POST /api/agents/{id}/tui-ack",
      "POST /api/agents/{id}/tui-hello",
      "POST /api/agents/{id}/ui",
      "POST /api/workspaces",
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
