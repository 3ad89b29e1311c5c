import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
// eslint-disable-next-line gantry/layers -- what is tried is both plugins together
import agents from "@gantry/plugin-agents";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel } from "@gantry/plugin-testing";
import plugin from "../src/index.ts";
import type { TemplateView } from "../src/templates/template.ts";
import type { AutomationView } from "../src/wire/automation.ts";
import type { DraftView } from "../src/wire/draft.ts";
import type { RunRecord } from "../src/wire/run.ts";

let kernel: TestKernel;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gantry-with-agents-"));
  kernel = await startTestKernel([agents, plugin]);
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
    const asked = kernel.api.post<{ answer: string }>(
      `/api/agents/${targetAgentId}/ask`,
      { text: "[[sleep:200]][[reply:mine]]" },
    );
    while ((await agent(targetAgentId)).activity !== "working");
    const run = await runOf({
      mode: "message",
      targetAgentId,
      prompt: "[[reply:theirs]]",
    });
    expect(run).toMatchObject({ result: "done", message: "theirs" });
    expect((await asked).body.answer).toBe("mine");
    expect((await agent(targetAgentId)).state).toBe("open");
  });
});

test("each template runs in a repository, and leaves it as it was", async () => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(folder, "canary.txt"), "sings\n");
  git("add", ".");
  git(
    ...["-c", "user.name=Test", "-c", "user.email=test@example.org"],
    ...["commit", "--quiet", "--message=First"],
  );
  writeFileSync(join(folder, "unfinished.txt"), "not saved yet\n");
  const look = () => [
    git("status", "--porcelain"),
    git("for-each-ref"),
    git("stash", "list"),
    readFileSync(join(folder, ".git", "config"), "utf8"),
    readFileSync(join(folder, "canary.txt"), "utf8"),
  ];
  const before = look();
  const { body } = await kernel.api.get<{ items: TemplateView[] }>(
    "/api/automations/templates",
  );
  const runs = await Promise.all(
    body.items.map(({ name, prompt, limits }) =>
      runOf({ name, prompt, limits, workspace: folder, cli: "practice" }),
    ),
  );
  expect(runs.map(({ result, message }) => ({ result, message }))).toEqual(
    body.items.map(({ prompt }) => ({
      result: "done",
      message: `practice: ${prompt.split("\n")[0]}`,
    })),
  );
  expect(look()).toEqual(before);
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

  test.each([
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
  ])("%s, and leaves no agent", async (_, description, state, costUsd) => {
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
