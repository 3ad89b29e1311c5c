import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import {
  access,
  readdir,
  readFile,
  readlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cases } from "@gantry/build/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
// eslint-disable-next-line gantry/layers -- what is tried is both plugins together
import agents from "@gantry/plugin-agents";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel } from "@gantry/plugin-testing";
import plugin from "../src/index.ts";
import type { AutomationView } from "../src/wire/automation.ts";
import type { DraftView } from "../src/wire/draft.ts";
import type { TemplateView } from "../src/templates/template.ts";
import type { RunRecord } from "../src/wire/run.ts";
import { createMeteredAgents } from "./support/metered-agents.ts";

const WAIT = { interval: 10 };

const metered = createMeteredAgents();
let kernel: TestKernel;
let folder: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "gantry-with-agents-")));
  kernel = await startTestKernel([agents, metered.plugin, plugin], {
    settings: { agents: metered.settings },
  });
});
afterAll(async () => {
  await kernel.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Creates an automation, runs it, and gives the run once it has ended. */
async function runOf(input: object): Promise<RunRecord> {
  const { api } = kernel;
  const saved = await api.post<{ automation: AutomationView }>(
    "/api/automations",
    { name: "With agents", ...input },
  );
  const path = `/api/automations/${saved.body.automation.id}`;
  await api.post(`${path}/run`);
  for (;;) {
    const { body } = await api.get<{ items: RunRecord[] }>(`${path}/runs`);
    const [run] = body.items;
    if (run && run.result !== "running") return run;
  }
}

interface Agent {
  id: string;
  state: string;
  activity: string;
  sessionId: string | null;
}

const agent = async (id: string) =>
  (await kernel.api.get<Agent>(`/api/agents/${id}`)).body;

async function createAgent(): Promise<string> {
  const { body } = await kernel.api.post<Agent>("/api/agents", {
    name: "Helper",
    cli: "practice",
  });
  return body.id;
}

describe("a message to a real agent", () => {
  test("starts one that is closed on its session, and closes it again", async () => {
    const targetAgentId = await createAgent();
    const ask = { text: "[[reply:hello]]" };
    await kernel.api.post(`/api/agents/${targetAgentId}/ask`, ask);
    await kernel.api.post(`/api/agents/${targetAgentId}/close`);
    const { sessionId } = await agent(targetAgentId);
    const run = await runOf({
      mode: "message",
      targetAgentId,
      prompt: "[[cost:0.3]][[recall]]",
    });
    expect(run).toMatchObject({
      result: "done",
      agentId: targetAgentId,
      sessionId,
      costUsd: 0.3,
    });
    expect(run.message).toContain("[[reply:hello]]");
    expect((await agent(targetAgentId)).state).toBe("closed");
  });

  test("follows the turn of one that is open, which stays open", async () => {
    const targetAgentId = await createAgent();
    const path = `/api/agents/${targetAgentId}`;
    // A turn that does not end before the message waits for it.
    const gate = join(folder, "gate");
    const asked = kernel.api.post<{ answer: string }>(`${path}/ask`, {
      text: `[[run:until [ -e ${gate} ]; do sleep 0.05; done]][[reply:mine]]`,
    });
    asked.catch(() => {});
    await vi.waitFor(
      async () => expect((await agent(targetAgentId)).activity).toBe("working"),
      WAIT,
    );
    const running = runOf({
      mode: "message",
      targetAgentId,
      prompt: "[[reply:theirs]]",
    });
    running.catch(() => {});
    await vi.waitFor(async () => {
      const { body } = await kernel.api.get<{ items: { status: string }[] }>(
        `${path}/tasks`,
      );
      expect(body.items.map(({ status }) => status)).toContain("queued");
    }, WAIT);
    await writeFile(gate, "");
    expect(await running).toMatchObject({ result: "done", message: "theirs" });
    expect((await asked).body.answer).toBe("mine");
    expect((await agent(targetAgentId)).state).toBe("open");
  });
});

test(
  "a message that only reports changes nothing at an agent that is open, which stays open",
  { tags: "thorough" },
  async () => {
    const targetAgentId = await createAgent();
    const { api } = kernel;
    const path = `/api/agents/${targetAgentId}`;
    await api.post(`${path}/ask`, { text: "[[reply:hello]]" });
    const { sessionId } = await agent(targetAgentId);
    const canary = join(folder, "canary");
    const run = await runOf({
      mode: "message",
      targetAgentId,
      prompt: `[[run:touch ${canary}]][[reply:my report]]`,
      permissions: { mode: "report-only" },
    });
    expect(run).toMatchObject({ result: "done" });
    expect(run.message).toMatch(/^my report\n\n.*refused/);
    await expect(access(canary)).rejects.toThrow("ENOENT");
    expect(await agent(targetAgentId)).toMatchObject({
      state: "open",
      sessionId,
    });
    // What its user asks for is not bound by that.
    await api.post(`${path}/ask`, {
      text: `[[run:touch ${canary}]][[reply:x]]`,
    });
    await access(canary);
  },
);

test("a folder of the system is no workspace", async () => {
  const { api } = kernel;
  const settings = { name: "Proc", prompt: "look" };
  const refused = {
    status: 400,
    body: { code: "AGENT_FOLDER_INVALID", errors: [{ path: "workspace" }] },
  };
  expect(
    await api.post("/api/automations", { ...settings, workspace: "/proc" }),
  ).toMatchObject(refused);
  const { body } = await api.post<{ automation: AutomationView }>(
    "/api/automations",
    settings,
  );
  expect(
    await api.patch(`/api/automations/${body.automation.id}`, {
      workspace: "/sys",
    }),
  ).toMatchObject(refused);
});

/** Processes that work in the folder. */
async function processes(): Promise<string[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(
    names.map((name) => readlink(`/proc/${name}/cwd`).catch(() => "")),
  );
  return names.filter((_name, index) => folders[index] === folder);
}

/**
 * A tool that leaves behind what a plain stop does not reach: a child that ignores signals, and one that went into a
 * session of its own, whose parent is gone.
 */
const TREE = [
  "(trap '' TERM HUP INT; while :; do sleep 0.1; done) &",
  "(setsid sh -c 'trap \"\" TERM HUP INT; touch apart; while :; do sleep 0.1; done' &);",
  "while :; do sleep 0.1; done",
].join(" ");

describe("a run that has started a tree of processes", () => {
  /** Starts one, and waits until all of the tree is there. */
  async function start(more: object): Promise<string> {
    rmSync(join(folder, "apart"), { force: true });
    const saved = await kernel.api.post<{ automation: AutomationView }>(
      "/api/automations",
      {
        name: "Tree",
        cli: "practice",
        workspace: folder,
        prompt: `[[run:${TREE}]][[reply:never]]`,
        ...more,
      },
    );
    const path = `/api/automations/${saved.body.automation.id}`;
    await kernel.api.post(`${path}/run`);
    await vi.waitFor(() => readFile(join(folder, "apart")), WAIT);
    expect((await processes()).length).toBeGreaterThan(3);
    return path;
  }

  const endOf = (path: string) =>
    vi.waitFor(async () => {
      const { body } = await kernel.api.get<{ items: RunRecord[] }>(
        `${path}/runs`,
      );
      expect(body.items[0]?.result).not.toBe("running");
      return body.items[0]!;
    }, WAIT);

  test("leaves nothing of it when it is stopped", async () => {
    const path = await start({});
    await kernel.api.post(`${path}/stop`);
    expect(await endOf(path)).toMatchObject({
      result: "failed",
      reason: "cancelled",
    });
    await vi.waitFor(async () => expect(await processes()).toEqual([]), WAIT);
  });

  test("leaves nothing of it at its time limit", async () => {
    const path = await start({ timeoutMs: 60_000 });
    await kernel.clock.advance(60_000);
    expect(await endOf(path)).toMatchObject({
      result: "failed",
      reason: "timeout",
    });
    await vi.waitFor(async () => expect(await processes()).toEqual([]), WAIT);
  });
});

test("nightly tests may run programs where the CLI asks before each, and nothing else", async () => {
  const { api } = kernel;
  const { body } = await api.get<{ items: TemplateView[] }>(
    "/api/automations/templates",
  );
  const template = body.items.find(({ id }) => id === "nightly-tests")!;
  const { permissions } = template;
  const saved = await api.post<{ automation: AutomationView }>(
    "/api/automations",
    { name: "Tests", prompt: "Test.", cli: "metered", permissions },
  );
  const path = `/api/automations/${saved.body.automation.id}`;
  await api.post(`${path}/run`);
  const session = await metered.prompted();
  // As Claude, Codex, OpenCode and others call their shells.
  for (const tool of ["Bash", "shell", "bash", "execute", "exec_command"])
    expect(await session.ask(tool), tool).toBe("yes");
  for (const tool of ["Edit", "Write", "edit", "apply_patch", "WebFetch"])
    expect(await session.ask(tool), tool).toBe("no");
  await session.finish("All tests pass.");
  await vi.waitFor(async () => {
    const runs = await api.get<{ items: RunRecord[] }>(`${path}/runs`);
    expect(runs.body.items).toMatchObject([{ result: "done" }]);
  }, WAIT);
});

describe("a draft by a real agent", () => {
  const sound = JSON.stringify({
    name: "Look at the app",
    prompt: "Look.",
    schedules: [{ cron: "0 9 * * 1-5", timeZone: "UTC" }],
    enabled: true,
  });

  async function draftOf(description: string): Promise<DraftView> {
    const path = "/api/automations/drafts";
    const body = { description, cli: "practice", timeZone: "UTC" };
    const { id } = (await kernel.api.post<DraftView>(path, body)).body;
    for (;;) {
      const draft = (await kernel.api.get<DraftView>(`${path}/${id}`)).body;
      if (draft.state !== "working") return draft;
    }
  }

  test.each(
    cases([
      [
        "is read out of its words",
        `[[cost:0.3]][[reply:Here:\n${sound}\nDone.]]`,
        "done",
        0.3,
      ],
      [
        "that is none fails with what it said",
        "[[cost:0.1]][[reply:Never.]]",
        "failed",
        0.2,
      ],
      ["gets no permission", `[[cost:0.1]][[ask:Delete all?]]`, "failed", 0.1],
    ]),
  )("%s, and leaves no agent", async (_, description, state, costUsd) => {
    const agents = () =>
      kernel.api.get<{ items: Agent[] }>("/api/agents", { limit: 500 });
    const before = (await agents()).body.items.map(({ id }) => id);
    const draft = await draftOf(description);
    expect(draft).toMatchObject({ state, description });
    expect(draft.costUsd).toBeCloseTo(costUsd, 9);
    if (state === "done")
      expect(draft).toMatchObject({
        automation: { name: "Look at the app", prompt: "Look." },
        dropped: [{ path: "enabled" }],
      });
    expect((await agents()).body.items.map(({ id }) => id)).toEqual(before);
  });
});
