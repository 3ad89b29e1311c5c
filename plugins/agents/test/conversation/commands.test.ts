import { definePlugin } from "@gantry/plugin";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentChecklistChanged, AgentSlash } from "../../src/contract.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { TameDriver } from "../help/tame-driver.ts";

let agents: AgentsKernel;
const memory = new MemoryDriver();
const tame = new TameDriver();
let isBroken = false;

const offers = definePlugin({
  id: "offers",
  api: 1,
  summary: "Offers something after a slash",
  mounts: [],
  needs: { slash: AgentSlash },
  setup: (ctx) =>
    ctx.needs.slash.add(
      {
        async list({ agentId }) {
          if (isBroken) throw new Error("It is broken.");
          const name = `snip:${agentId.slice(0, 3)}`;
          return { items: [{ name, description: "One", source: "snippet" }] };
        },
      },
      ctx.signal,
    ),
});

beforeAll(async () => {
  agents = await AgentsKernel.start({
    clis: { ...memory.clis, ...tame.clis },
    beside: [memory.plugin, tame.plugin, offers],
    limits: { openAgents: 50 },
  });
});
afterAll(() => agents.kernel.stop());

const api = () => agents.kernel.api;
const namesOf = async (id: string) => {
  const { body } = await api().get<{ items: { name: string }[] }>(
    `/api/agents/${id}/slash`,
  );
  return body.items.map(({ name }) => name);
};

describe("slash", () => {
  test("gives what the CLI said when it was open, and what plugins offer", async () => {
    const { id } = await agents.create({ cli: "memory" });
    expect(await namesOf(id)).toEqual(["snip:agt"]);
    await agents.ask(id, "hello");
    await agents.close(id);
    expect(await namesOf(id)).toEqual(["tidy", "review", "snip:agt"]);
  });

  test("a plugin that fails costs its own part alone", async () => {
    const { id } = await agents.create({ cli: "memory" });
    await agents.ask(id, "hello");
    isBroken = true;
    expect(await namesOf(id)).toEqual(["tidy", "review"]);
    isBroken = false;
  });
});

describe("command", () => {
  const run = (id: string, text: string) =>
    api().post<{ code: string }>(`/api/agents/${id}/command`, { text });

  test("goes to the CLI as it is", async () => {
    const { id } = await agents.create({ cli: "memory" });
    await api().post(`/api/agents/${id}/bash`, { command: "echo seen" });
    expect((await run(id, "/tidy up")).body).toMatchObject({
      delivery: "sent",
    });
    await agents.untilEntry(
      id,
      ({ role, text }) => role === "assistant" && text === "/tidy up",
      "the command is answered",
    );
  });

  test("one that the CLI does not know is refused", async () => {
    const { id } = await agents.create({ cli: "memory" });
    await agents.ask(id, "hello");
    expect(await run(id, "/nonsense")).toMatchObject({
      status: 400,
      body: { code: "AGENT_COMMAND_UNKNOWN" },
    });
    for (const text of ["tidy", "/ tidy", "", "//x"])
      expect((await run(id, text)).status).toBe(400);
  });

  test("a CLI without commands is 501", async () => {
    const { id } = await agents.create({ cli: "tame" });
    expect((await run(id, "/tidy")).status).toBe(501);
  });
});

describe("checklist", () => {
  const url = (id: string) => `/api/agents/${id}/checklist`;

  test("is kept, replaced whole, and reported", async () => {
    const { id } = await agents.create({ cli: "memory" });
    expect((await api().get(url(id))).body).toEqual({ items: [] });
    const told = agents.kernel.events.next(AgentChecklistChanged);
    const items = [
      { text: "Read", status: "completed" },
      { text: "Write", status: "in_progress" },
      { text: "Rest", status: "pending" },
    ];
    const given = [...items.slice(0, 2), { text: " Rest " }];
    expect((await api().post(url(id), { items: given })).body).toEqual({
      items,
    });
    expect((await told).data).toEqual({ items: 3 });
    expect((await api().get(url(id))).body).toEqual({ items });
    await api().post(url(id), { items: [] });
    expect((await api().get(url(id))).body).toEqual({ items: [] });
  });

  test("a CLI that plans sets it", async () => {
    const { id } = await agents.create({ cli: "memory" });
    await agents.ask(id, "plan look,leap");
    expect((await api().get(url(id))).body).toEqual({
      items: [
        { text: "look", status: "pending" },
        { text: "leap", status: "pending" },
      ],
    });
  });

  test.each([
    ["51 items", Array.from({ length: 51 }, () => ({ text: "x" }))],
    ["a long text", [{ text: "x".repeat(301) }]],
    ["an empty text", [{ text: "  " }]],
    ["an unknown status", [{ text: "x", status: "done" }]],
  ])("%s is 400 and changes nothing", async (_, items) => {
    const { id } = await agents.create({ cli: "memory" });
    await api().post(url(id), { items: [{ text: "stays" }] });
    expect((await api().post(url(id), { items })).status).toBe(400);
    expect((await api().get(url(id))).body).toEqual({
      items: [{ text: "stays", status: "pending" }],
    });
  });
});

describe("role-state", () => {
  test("names the model while the CLI that tells it is open", async () => {
    const { id } = await agents.create({ cli: "memory" });
    const state = async () =>
      (await api().get(`/api/agents/${id}/role-state`)).body;
    expect(await state()).toEqual({ state: null });
    await agents.ask(id, "hello");
    expect(await state()).toEqual({
      state: { role: "default", model: "memory-1" },
    });
    await agents.close(id);
    expect(await state()).toEqual({ state: null });
  });
});
