import {
  mkdir,
  mkdtemp,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import { AgentCreated } from "../../src/contract.ts";
import type { AgentView } from "../../src/records/agent-record.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";

let agents: AgentsKernel;
let folder: string;

beforeAll(async () => {
  agents = await AgentsKernel.start({
    clis: { pi: standIn("fake-pi"), rough: standIn("rough-acp") },
  });
});
afterAll(() => agents.kernel.stop());
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gantry-folder-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const api = () => agents.kernel.api;

describe("making", () => {
  test("an agent is closed at first, and has what was asked for", async () => {
    const { status, body } = await api().post<AgentView>("/api/agents", {
      name: "  Ada  ",
      cli: "pi",
      cwd: folder,
      model: "fake/fake-1",
      thinking: "high",
      extraPrompt: "Be brief.",
      readOnly: true,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: "Ada",
      cli: "pi",
      cwd: folder,
      model: "fake/fake-1",
      thinking: "high",
      extraPrompt: "Be brief.",
      readOnly: true,
      state: "closed",
      mode: null,
      activity: "idle",
      sessionId: null,
      usage: { inputTokens: null, outputTokens: null, costUsd: null },
      automationId: null,
      terminalId: null,
      dialog: null,
      lastMessage: null,
      revision: 1,
    });
    expect(body.id).toMatch(/^agt_[a-z2-7]{24}$/);
    expect(body.workspaceId).toMatch(/^wsp_/);
    const created = agents.kernel.events
      .all(AgentCreated)
      .filter(({ subject }) => subject === body.id);
    expect(created.map(({ data }) => data)).toEqual([
      { name: "Ada", cli: "pi" },
    ]);
  });

  test("nothing internal is told", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const fields = Object.keys(await agents.get(id));
    for (const field of [
      "resumeKey",
      "turn",
      "reportedCostUsd",
      "ownsFolder",
      "dialogs",
    ])
      expect(fields).not.toContain(field);
  });

  test("without a folder it gets one of its own, never that of another agent", async () => {
    const first = await agents.create({
      cli: "practice",
      name: "Größe & Co. ../../etc",
    });
    const second = await agents.create({
      cli: "practice",
      name: "Größe & Co. ../../etc",
    });
    expect(first.cwd).toBe(join(agents.kernel.home, "work", "grosse-co-etc"));
    expect(second.cwd).toBe(`${first.cwd}-2`);
    expect((await stat(first.cwd)).mode & 0o777).toBe(0o700);
    expect(first.workspaceId).toBeNull();
  });

  test("without a CLI it gets the first that is installed", async () => {
    expect((await agents.create({ cli: "practice" })).cli).toBe("practice");
    const { body } = await api().post<AgentView>("/api/agents", {
      name: "Any",
    });
    expect(body.cli).toBe("pi");
  });

  test("a link to a folder is the folder", async () => {
    const link = join(folder, "link");
    await mkdir(join(folder, "real"));
    await symlink(join(folder, "real"), link);
    expect((await agents.create({ cli: "practice", cwd: link })).cwd).toBe(
      join(folder, "real"),
    );
  });

  test.each([
    ["no name", {}, "name"],
    ["an empty name", { name: "  " }, "name"],
    ["a name of two lines", { name: "a\nb" }, "name"],
    ["an unknown field", { name: "x", colour: "red" }, "colour"],
    [
      "a model that is a flag",
      { name: "x", cli: "pi", model: "--dangerously-skip-permissions" },
      "model",
    ],
    [
      "thinking that is a flag",
      { name: "x", cli: "pi", thinking: "-p" },
      "thinking",
    ],
    ["a folder with NUL", { name: "x", cwd: "/tmp\u0000/x" }, "cwd"],
  ])("%s is 400 and names it", async (_what, body, field) => {
    const answer = await api().post<{
      code: string;
      errors?: { path: string }[];
    }>("/api/agents", body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  test("a CLI that is not known is 400 and names those that are", async () => {
    for (const cli of ["nope", "../../x", "__proto__", "constructor"]) {
      const answer = await api().post<{ code: string; detail: string }>(
        "/api/agents",
        { name: "x", cli },
      );
      expect(answer).toMatchObject({
        status: 400,
        body: { code: "AGENT_CLI_UNKNOWN", errors: [{ path: "cli" }] },
      });
      expect(answer.body.detail).toContain("practice");
    }
  });

  test("a folder that is none is 400, and nothing is made", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    const before = (
      await api().get<{ items: unknown[] }>("/api/agents", { limit: 500 })
    ).body.items.length;
    for (const cwd of [join(folder, "none"), file, "relative", "."]) {
      expect(await api().post("/api/agents", { name: "x", cwd })).toMatchObject(
        {
          status: 400,
          body: { code: "AGENT_FOLDER_INVALID", errors: [{ path: "cwd" }] },
        },
      );
      expect(await api().post("/api/workspaces", { path: cwd })).toMatchObject({
        status: 400,
        body: { code: "AGENT_FOLDER_INVALID", errors: [{ path: "path" }] },
      });
    }
    expect(
      (await api().get<{ items: unknown[] }>("/api/agents", { limit: 500 }))
        .body.items,
    ).toHaveLength(before);
  });

  test("a setting that the CLI cannot follow is 501 and named", async () => {
    for (const setting of [{ extraPrompt: "x" }, { readOnly: true }]) {
      const answer = await api().post<{ detail: string }>("/api/agents", {
        name: "x",
        cli: "practice",
        ...setting,
      });
      expect(answer).toMatchObject({
        status: 501,
        body: { code: "AGENT_UNSUPPORTED" },
      });
      expect(answer.body.detail).toContain(Object.keys(setting)[0]);
    }
  });

  test("the same idempotency key makes one agent", async () => {
    const make = (name: string) =>
      api().post<AgentView>(
        "/api/agents",
        { name, cli: "practice" },
        { "idempotency-key": "k1" },
      );
    const [first, second] = await Promise.all([make("Once"), make("Once")]);
    expect(second.body.id).toBe(first.body.id);
    expect((await make("Twice")).status).toBe(409);
  });
});

describe("listing", () => {
  test("it is narrowed by state, CLI, workspace and words", async () => {
    const { id, workspaceId } = await agents.create({
      cli: "rough",
      name: "Needle in hay",
      cwd: folder,
    });
    const ids = async (query: Record<string, string>) =>
      (
        await api().get<{ items: AgentView[] }>("/api/agents", {
          limit: 500,
          ...query,
        })
      ).body.items.map((agent) => agent.id);
    expect(await ids({ q: "NEEDLE" })).toEqual([id]);
    expect(await ids({ cli: "rough" })).toContain(id);
    expect(await ids({ workspaceId: workspaceId ?? "" })).toEqual([id]);
    expect(await ids({ state: "open" })).not.toContain(id);
    await api().post(`/api/agents/${id}/managed/start`);
    expect(await ids({ state: "open" })).toContain(id);
    await agents.close(id);
  });

  test("pages follow each other without a gap", async () => {
    const all: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string | number> =
        cursor === null ? { limit: 2 } : { limit: 2, cursor };
      const page = (
        await api().get<{ items: AgentView[]; nextCursor: string | null }>(
          "/api/agents",
          query,
        )
      ).body;
      all.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    const whole = (
      await api().get<{ items: AgentView[] }>("/api/agents", { limit: 500 })
    ).body.items;
    expect(all).toEqual(whole.map(({ id }) => id));
  });

  test.each([
    ["limit=0"],
    ["limit=501"],
    ["limit=x"],
    ["state=ajar"],
    ["nope=1"],
    ["limit=1&limit=2"],
  ])("%s is 400", async (query) => {
    expect((await api().request("GET", `/api/agents?${query}`)).status).toBe(
      400,
    );
  });
});

describe("ids", () => {
  test.each([
    ["..%2fx"],
    ["%00"],
    ["__proto__"],
    ["a:b"],
    [".git"],
    ["agt_ABCDEFGHIJKLMNOPQRSTUVWX"],
    ["wsp_aaaaaaaaaaaaaaaaaaaaaaaa"],
    ["agt_aaaaaaaaaaaaaaaaaaaaaaaa"],
    ["x".repeat(5000)],
  ])("%.30s is 404, or no path at all", async (id) => {
    for (const [method, rest] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/prompt"],
      ["POST", "/close"],
      ["GET", "/messages"],
      ["GET", "/stream"],
    ] as const) {
      const body =
        method === "GET"
          ? {}
          : { body: rest === "/prompt" ? { message: "x" } : {} };
      const { status } = await api().request(
        method,
        `/api/agents/${id}${rest}`,
        body,
      );
      expect([404, 400], `${method} ${rest}`).toContain(status);
    }
  });

  test("a client without a session gets nothing", async () => {
    const { id } = await agents.create({ cli: "practice" });
    for (const path of [
      `/api/agents/${id}`,
      `/api/agents/${id}/messages`,
      `/api/agents/${id}/stream`,
      "/api/usage",
      "/api/workspaces",
    ]) {
      expect((await agents.kernel.stranger.get(path)).status).toBe(401);
    }
  });
});
