import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { StoreOutage } from "../help/store-outage.ts";

// A request that did not have its effect may be sent again with its idempotency key, whatever it wrote before.

let home: string;
let agents: AgentsKernel;
let outage: StoreOutage;
const memory = new MemoryDriver();

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-idempotency-"));
  agents = await AgentsKernel.start({
    clis: memory.clis,
    beside: [memory.plugin],
    limits: { openAgents: 50 },
  });
  outage = new StoreOutage(agents);
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(home, { recursive: true, force: true });
});

let keys = 0;

/** Sends a request during an outage of what its effect writes, then twice more under the same key. */
async function sendThrice(
  path: string,
  body: object,
  isEffect: (written: string) => boolean,
) {
  const headers = { "idempotency-key": `key-${(keys += 1)}` };
  const send = () =>
    agents.kernel.api.post<Record<string, unknown>>(path, body, headers);
  outage.refuses = isEffect;
  expect((await send()).status).toBe(503);
  outage.refuses = undefined;
  const second = await send();
  expect(second).toMatchObject({ status: 200 });
  expect((await send()).body).toEqual(second.body);
  return second.body;
}

const create = () => agents.create({ cli: "memory", cwd: home });
const saidIn = async (id: string) =>
  (await agents.entries(id)).map(({ text }) => text);

test.each([
  ["prompt", { message: "hello there" }],
  ["ask", { text: "hello there" }],
])("a message that started its agent, by %s", async (route, body) => {
  const { id } = await create();
  await sendThrice(
    `/api/agents/${id}/${route}`,
    body,
    (written) =>
      written.includes("hello there") && written.includes('"queued"'),
  );
  await agents.untilAgent(id, (agent) => agent.activity === "idle", "it rests");
  expect(await saidIn(id)).toEqual(["hello there", "hello there"]);
});

test("an agent whose folder was not known", async () => {
  const folder = await mkdtemp(join(home, "folder-"));
  const { id } = await sendThrice(
    "/api/agents",
    { name: "Ada", cli: "memory", cwd: folder },
    (written) => written.includes("agents.agent-created"),
  );
  const { body } = await agents.kernel.api.get<{ items: { name: string }[] }>(
    "/api/agents",
  );
  expect(body.items.filter(({ name }) => name === "Ada")).toEqual([
    expect.objectContaining({ id, cwd: folder }),
  ]);
});

test("a fork that closed its agent", async () => {
  const { id } = await create();
  for (const text of ["one", "two"]) await agents.ask(id, text);
  const entries = await agents.entries(id);
  const second = entries.find(({ text }) => text === "two");
  expect(
    await sendThrice(
      `/api/agents/${id}/fork`,
      { entryId: second?.id },
      (written) => written.includes('"leftOut"') && written.includes('"two"'),
    ),
  ).toEqual({ text: "two" });
  expect(await saidIn(id)).toEqual(["one", "one"]);
});
