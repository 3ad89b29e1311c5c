import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin, defineRoute } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { AgentMessages } from "../../src/contract.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { Runner } from "../help/runner.ts";
import { StoreOutage } from "../help/store-outage.ts";

// A request without effect may be sent again with its idempotency key, even if it wrote something before.

let home: string;
let agents: AgentsKernel;
let outage: StoreOutage;
const memory = new MemoryDriver();
const runner = new Runner();
/** Sends messages to sessions, as the Inbox does with replies. */
const replier = definePlugin({
  id: "replier",
  api: 1,
  summary: "Sends replies",
  mounts: ["/api/replier"],
  needs: { messages: AgentMessages },
  setup: (ctx) =>
    void ctx.route(
      defineRoute({
        method: "POST",
        path: "/api/replier",
        summary: "Send a reply",
        access: "session",
        idempotent: true,
        body: z.strictObject({
          agentId: z.string(),
          sessionId: z.string(),
          message: z.string(),
        }),
        returns: okAnswer,
        errors: ["STORAGE_UNAVAILABLE"],
        async handle({ body, signal }) {
          const message = {
            ...body,
            kind: "follow_up",
            source: "test",
          } as const;
          await ctx.needs.messages.prompt(message, signal);
          return { ok: true as const };
        },
      }),
    ),
});

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-idempotency-"));
  agents = await AgentsKernel.start({
    clis: memory.clis,
    beside: [memory.plugin, runner.plugin, replier],
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

test("a message that opened an earlier session", async () => {
  const id = await runner.createAgent("memory");
  const { sessionId } = await runner.run(id, "one");
  await runner.run(id, "two");
  await sendThrice(
    "/api/replier",
    { agentId: id, sessionId, message: "hello there" },
    (written) =>
      written.includes("hello there") && written.includes('"queued"'),
  );
  await agents.untilEntry(
    id,
    ({ text }) => text === "one | hello there",
    "it answered",
  );
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
