import { cp } from "node:fs/promises";
import { join } from "node:path";
import agents from "@gantry/plugin-agents";
import automations from "@gantry/plugin-automations";
import inbox from "@gantry/plugin-inbox";
import { ItemAdded } from "@gantry/plugin-inbox/contract";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestClient, TestKernel } from "@gantry/plugin-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFaultyStorage } from "../support/faulty-storage.ts";
import type { FaultyStorage } from "../support/faulty-storage.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** What each case starts from. */
interface Base {
  storage: FaultyStorage;
  home: string;
  agentId: string;
  taskId: string;
  automationId: string;
  itemId: string;
}

type Operation = (
  api: TestClient,
  base: Base,
) => Promise<{ status: number; body: unknown }>;

const NEW_AUTOMATION = {
  name: "New",
  mode: "start",
  cli: "practice",
  prompt: "Look round",
  webhook: true,
  schedules: [{ frequency: "daily", time: "04:00", timeZone: "Europe/Vienna" }],
};

/** Operations that write, each of which must have happened whole or not at all. */
const operations: Record<string, Operation> = {
  "POST /api/agents": (api) =>
    api.post("/api/agents", { name: "New", cli: "practice" }),
  "PATCH /api/agents/{id}": (api, { agentId }) =>
    api.patch(`/api/agents/${agentId}`, { name: "Renamed" }),
  "DELETE /api/agents/{id}": (api, { agentId }) =>
    api.delete(`/api/agents/${agentId}`),
  "POST /api/agents/{id}/tasks": (api, { agentId }) =>
    api.post(`/api/agents/${agentId}/tasks`, { payload: { message: "Later" } }),
  "DELETE /api/agents/{id}/tasks/{taskId}": (api, { agentId, taskId }) =>
    api.delete(`/api/agents/${agentId}/tasks/${taskId}`),
  "POST /api/automations": (api) =>
    api.post("/api/automations", NEW_AUTOMATION),
  "PATCH /api/automations/{id}": (api, { automationId }) =>
    api.patch(`/api/automations/${automationId}`, {
      name: "Renamed",
      webhook: false,
    }),
  "DELETE /api/automations/{id}": (api, { automationId }) =>
    api.delete(`/api/automations/${automationId}`),
  "POST /api/inbox/{id}/state": (api, { itemId }) =>
    api.post(`/api/inbox/${itemId}/state`, { state: "done" }),
  "DELETE /api/inbox/{id}": (api, { itemId }) =>
    api.delete(`/api/inbox/${itemId}`),
};

/** More writes than any operation makes. */
const MAX_WRITES = 40;

const stack = new AsyncDisposableStack();
let base: Base;

beforeAll(async () => {
  base = await createBase();
});
afterAll(() => stack.disposeAsync());

for (const [name, operation] of Object.entries(operations))
  test(
    `${name} is there whole or not at all, at whichever write the storage fails`,
    { tags: "thorough" },
    async () => {
      for (let write = 1; write <= MAX_WRITES; write++) {
        const { wasReached, status, before, after } = await failAt(
          write,
          operation,
        );
        if (!wasReached) {
          expect(status).toBe(200);
          expect(after).not.toEqual(before);
          expect(write, "writes that can fail").toBeGreaterThan(1);
          return;
        }
        // The journal was written, so the operation will be finished; it has failed all the same for its caller.
        if (status !== 200) expect(status).toBe(507);
        const whole = await expectedAfter(operation);
        if (status === 200) expect(after).toEqual(whole);
        else expect([before, whole]).toContainEqual(after);
      }
      throw new Error(`It still wrote after ${MAX_WRITES} writes.`);
    },
  );

/** Runs an operation while the n-th write and all after it fail, then starts again on storage that works. */
async function failAt(write: number, operation: Operation) {
  await using kernel = await start(base.storage.copy());
  const before = await stateOf(kernel.api);
  const wasReached = kernel.storage.failFrom(write);
  const { status } = await operation(kernel.api, base);
  const result = { status, before, wasReached: wasReached() };
  kernel.storage.repair();
  await kernel.restart();
  return { ...result, after: await stateOf(kernel.api) };
}

const known = new Map<Operation, unknown>();
/** What an operation leaves when nothing fails. */
async function expectedAfter(operation: Operation): Promise<unknown> {
  if (!known.has(operation)) {
    const { after } = await failAt(Number.POSITIVE_INFINITY, operation);
    known.set(operation, after);
  }
  return known.get(operation);
}

async function start(
  storage: FaultyStorage,
): Promise<TestKernel & { storage: FaultyStorage }> {
  const folder = stack.use(await createTemporaryFolder("store-faults"));
  const home = join(folder.path, "home");
  if (base) await cp(base.home, home, { recursive: true });
  const kernel = await startTestKernel([agents, automations, inbox], {
    home,
    config: { storage: storage.config },
  });
  kernel.expectFault(/./);
  return Object.assign(kernel, { storage });
}

async function createBase(): Promise<Base> {
  await using kernel = await start(createFaultyStorage());
  const { api } = kernel;
  const create = async <Body>(path: string, body: object) => {
    const answer = await api.post(path, body);
    expect(answer.status).toBe(200);
    return answer.body as Body;
  };
  const agent = await create<{ id: string }>("/api/agents", {
    name: "Old",
    cli: "practice",
  });
  const task = await create<{ id: string }>(`/api/agents/${agent.id}/tasks`, {
    payload: { message: "Wait" },
  });
  const { automation } = await create<{ automation: { id: string } }>(
    "/api/automations",
    { ...NEW_AUTOMATION, name: "Old", prompt: "[[reply:answered]]" },
  );
  await create(`/api/automations/${automation.id}/run`, {});
  const item = await kernel.events.first(
    ItemAdded,
    ({ data }) => data.kind === "result",
  );
  return {
    storage: kernel.storage,
    home: kernel.home,
    agentId: agent.id,
    taskId: task.id,
    automationId: automation.id,
    itemId: item.subject,
  };
}

/** What a user sees of everything, without what differs from one start to the next. */
async function stateOf(api: TestClient): Promise<unknown> {
  const list = async (path: string, fields: readonly string[]) => {
    const { body } = await api.get(path);
    // The clock stands still, so that what was made later is not always listed first.
    return (body as { items: Record<string, unknown>[] }).items
      .map((item) => JSON.stringify(item, [...fields]))
      .sort();
  };
  const tasks = await api.get(`/api/agents/${base.agentId}/tasks`);
  return {
    agents: await list("/api/agents", ["name", "cli", "state"]),
    tasks:
      tasks.status === 200
        ? await list(`/api/agents/${base.agentId}/tasks`, ["kind", "status"])
        : tasks.status,
    automations: await list("/api/automations", ["name", "webhook", "enabled"]),
    inbox: await list("/api/inbox", ["kind", "title", "state"]),
  };
}
