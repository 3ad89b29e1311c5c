import {
  mkdir,
  mkdtemp,
  realpath,
  rm,
  stat,
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
import { AgentChanged, AgentDeleted } from "../../src/contract.ts";
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

describe("changing", () => {
  test("fields change, and null clears", async () => {
    const { id } = await agents.create({
      cli: "pi",
      model: "a/b",
      extraPrompt: "x",
    });
    const { body } = await api().patch<AgentView>(`/api/agents/${id}`, {
      name: "New",
      model: null,
      extraPrompt: null,
      cwd: folder,
    });
    expect(body).toMatchObject({
      name: "New",
      model: null,
      extraPrompt: null,
      cwd: folder,
      revision: 2,
    });
    const changed = agents.kernel.events
      .all(AgentChanged)
      .filter(({ subject }) => subject === id);
    expect(changed.at(-1)?.data.fields.sort()).toEqual([
      "cwd",
      "extraPrompt",
      "model",
      "name",
      "workspaceId",
    ]);
  });

  test("a stale revision is 412 and changes nothing", async () => {
    const { id } = await agents.create({ cli: "practice" });
    await api().patch(`/api/agents/${id}`, { name: "Second" });
    const stale = await api().patch(
      `/api/agents/${id}`,
      { name: "Third", cwd: null },
      { "if-match": '"1"' },
    );
    expect(stale).toMatchObject({
      status: 412,
      body: { code: "STALE_REVISION" },
    });
    expect((await agents.get(id)).name).toBe("Second");
    expect(
      (
        await api().patch<AgentView>(
          `/api/agents/${id}`,
          { name: "Third" },
          { "if-match": '"2"' },
        )
      ).body.revision,
    ).toBe(3);
  });

  test("an idle agent is closed for other settings, and continues with them", async () => {
    const { id } = await agents.create({ cli: "rough" });
    expect((await agents.ask(id, "[[model]]")).body.answer).toBe("model small");
    const { revision } = await agents.get(id);
    const { body } = await api().patch<AgentView>(
      `/api/agents/${id}`,
      { model: "large" },
      { "if-match": `"${revision}"` },
    );
    expect(body).toMatchObject({ model: "large", state: "closed" });
    expect((await agents.ask(id, "[[model]]")).body.answer).toBe("model large");
  });

  test("an agent keeps the folder that is its own, and gets one when its project is taken away", async () => {
    const { id, cwd } = await agents.create({ cli: "practice", name: "Mover" });
    const move = async (to: string | null) =>
      (await api().patch<AgentView>(`/api/agents/${id}`, { cwd: to })).body;
    expect((await move(null)).cwd).toBe(cwd);
    expect(await move(folder)).toMatchObject({ cwd: folder });
    const moved = await move(null);
    expect(moved).toMatchObject({ cwd: `${cwd}-2`, workspaceId: null });
  });

  test("a change that is refused makes no folder, and one of nothing is none", async () => {
    const { id, revision } = await agents.create({
      cli: "practice",
      name: "Unmoved",
      cwd: folder,
    });
    expect(
      (await api().patch<AgentView>(`/api/agents/${id}`, {})).body.revision,
    ).toBe(revision);
    expect(
      (await api().patch<AgentView>(`/api/agents/${id}`, { name: "Unmoved" }))
        .body.revision,
    ).toBe(revision);
    const asked = agents.ask(id, "[[sleep:200]][[reply:x]]");
    await agents.untilWorking(id);
    expect(await api().patch(`/api/agents/${id}`, { cwd: null })).toMatchObject(
      { status: 409, body: { code: "AGENT_OPEN" } },
    );
    expect((await asked).status).toBe(200);
    await expect(
      stat(join(agents.kernel.home, "work", "unmoved")),
    ).rejects.toThrow();
  });

  test("a running agent keeps its settings, but not its name", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const asked = agents.ask(id, "[[sleep:200]][[reply:x]]");
    await agents.untilWorking(id);
    expect(
      await api().patch(`/api/agents/${id}`, { cwd: folder }),
    ).toMatchObject({ status: 409, body: { code: "AGENT_OPEN" } });
    expect(
      (await api().patch<AgentView>(`/api/agents/${id}`, { name: "Busy" })).body
        .name,
    ).toBe("Busy");
    expect((await asked).status).toBe(200);
  });

  test("an unknown field is 400 and named, the CLI too: it is chosen once", async () => {
    const { id } = await agents.create({ cli: "practice" });
    expect(
      JSON.stringify(await api().patch(`/api/agents/${id}`, { cli: "pi" })),
    ).toContain("cli");
    expect((await agents.get(id)).revision).toBe(1);
  });
});

describe("deleting", () => {
  test("what was made for the agent goes only if it is to", async () => {
    const { id, cwd } = await agents.create({ cli: "practice" });
    await agents.ask(id, "[[reply:x]]");
    const { body } = await api().get<{ transcriptBytes: number }>(
      `/api/agents/${id}/cleanup`,
    );
    expect(body).toMatchObject({ workFolder: cwd, processes: 1 });
    expect(body.transcriptBytes).toBeGreaterThan(100);
    expect((await api().delete(`/api/agents/${id}`)).body).toEqual({
      ok: true,
    });
    expect((await stat(cwd)).isDirectory()).toBe(true);
    expect(await api().get(`/api/agents/${id}`)).toMatchObject({
      status: 404,
      body: { code: "AGENT_NOT_FOUND" },
    });
    const deleted = agents.kernel.events
      .all(AgentDeleted)
      .filter(({ subject }) => subject === id);
    expect(deleted).toHaveLength(1);

    const other = await agents.create({ cli: "practice" });
    await agents.ask(other.id, "[[reply:x]]");
    await api().delete(`/api/agents/${other.id}`, {
      transcript: true,
      workFolder: true,
    });
    await expect(stat(other.cwd)).rejects.toThrow();
    await expect(
      stat(
        join(
          agents.kernel.home,
          "data",
          "agents",
          "transcripts",
          `${other.id}.jsonl`,
        ),
      ),
    ).rejects.toThrow();
  });

  test("a project folder is never deleted", async () => {
    await writeFile(join(folder, "precious"), "");
    const { id } = await agents.create({ cli: "practice", cwd: folder });
    expect(
      (await api().get<{ workFolder: unknown }>(`/api/agents/${id}/cleanup`))
        .body.workFolder,
    ).toBeNull();
    await api().delete(`/api/agents/${id}`, {
      transcript: true,
      workFolder: true,
    });
    expect((await stat(join(folder, "precious"))).isFile()).toBe(true);
  });

  test("a folder that was made for an agent is not deleted while it is the project of another", async () => {
    const first = await agents.create({ cli: "practice" });
    await mkdir(join(first.cwd, "site"));
    const second = await agents.create({
      cli: "practice",
      cwd: join(first.cwd, "site"),
    });
    const offered = async () =>
      (
        await api().get<{ workFolder: unknown }>(
          `/api/agents/${first.id}/cleanup`,
        )
      ).body.workFolder;
    expect(await offered()).toBeNull();
    await api().patch(`/api/agents/${second.id}`, { cwd: null });
    expect(await offered()).toBe(first.cwd);
    await api().patch(`/api/agents/${second.id}`, { cwd: first.cwd });
    await api().delete(`/api/agents/${first.id}`, { workFolder: true });
    expect((await stat(join(first.cwd, "site"))).isDirectory()).toBe(true);
  });

  test("a stale revision is 412, and the agent stays open", async () => {
    const { id } = await agents.create({ cli: "practice" });
    await agents.ask(id, "[[reply:x]]");
    expect(
      (await api().delete(`/api/agents/${id}`, {}, { "if-match": '"1"' }))
        .status,
    ).toBe(412);
    expect((await agents.get(id)).state).toBe("open");
  });

  test("what it cost stays counted, and its messages are gone", async () => {
    const { id } = await agents.create({ cli: "practice" });
    await agents.ask(id, "[[cost:0.7]][[reply:x]]");
    await api().delete(`/api/agents/${id}`);
    const { body } = await api().get<{
      items: { key: string; usage: { costUsd: number } }[];
    }>("/api/usage", { by: "agent" });
    expect(body.items.find(({ key }) => key === id)?.usage.costUsd).toBe(0.7);
    expect((await api().get(`/api/agents/${id}/tasks`)).status).toBe(404);
  });
});
