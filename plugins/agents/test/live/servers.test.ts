import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provideFake } from "@gantry/plugin-testing";
import { expect, onTestFinished, test } from "vitest";
import { AgentServers } from "../../src/contract.ts";
import type { AgentServer } from "../../src/contract.ts";
import {
  AgentsKernel,
  type AgentsKernelOptions,
} from "../help/agents-kernel.ts";
import { TameDriver } from "../help/tame-driver.ts";
import { ToolPlugin } from "../help/tool-plugin.ts";

/** A server that the agent's CLI runs. */
const SERVER: AgentServer = { port: 5173, program: "node", endsWithCli: true };
/** Longer than an agent may be idle. */
const LONG_MS = 60 * 60_000;

/** A kernel in which a test decides which servers agents run. */
async function start(options: AgentsKernelOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), "gantry-servers-"));
  const offer = new ToolPlugin(folder);
  const tame = new TameDriver({ tools: true });
  const servers = new Map<string, AgentServer[]>();
  const agents = await AgentsKernel.start({
    fakeTime: true,
    clis: tame.clis,
    beside: [
      tame.plugin,
      offer.plugin,
      provideFake(AgentServers, {
        list: async ({ agentId }) => ({ items: servers.get(agentId) ?? [] }),
      }),
    ],
    ...options,
  });
  onTestFinished(async () => {
    await agents.kernel.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const open = async (...items: AgentServer[]) => {
    const { id } = await agents.create({ cli: "tame" });
    await agents.ask(id, "hello");
    servers.set(id, items);
    return id;
  };
  const untilClosed = (id: string) =>
    agents.untilAgent(id, ({ state }) => state === "closed", "it is closed");
  const untilPending = (id: string, ports: number[]) =>
    agents.untilAgent(
      id,
      ({ pendingRestart }) =>
        JSON.stringify(pendingRestart?.ports) === JSON.stringify(ports),
      "a restart is due",
    );
  return { agents, offer, tame, servers, open, untilClosed, untilPending };
}

test("new tools wait for the servers of an agent, which continues meanwhile", async () => {
  const { agents, offer, servers, open, untilClosed, untilPending } =
    await start();
  const id = await open(SERVER);
  await offer.renew(id);
  expect(await untilPending(id, [5173])).toMatchObject({ state: "open" });
  expect((await agents.ask(id, "continue")).status).toBe(200);
  await agents.kernel.clock.advance(LONG_MS);
  expect(await agents.get(id)).toMatchObject({
    ...{ state: "open", pendingRestart: { ports: [5173] } },
  });
  servers.set(id, [SERVER, { ...SERVER, port: 5174 }]);
  await agents.kernel.clock.advance(60_000);
  await untilPending(id, [5173, 5174]);
  servers.delete(id);
  await agents.kernel.clock.advance(60_000);
  expect(await untilClosed(id)).toMatchObject({ pendingRestart: null });
});

test("new tools come at once after the turn in which the servers ended", async () => {
  const { agents, offer, servers, open, untilClosed, untilPending } =
    await start();
  const id = await open(SERVER);
  await offer.renew(id);
  await untilPending(id, [5173]);
  servers.delete(id);
  await agents.ask(id, "stop the server");
  await untilClosed(id);
});

test("a restart on request gives the tools, and what is due is told no more", async () => {
  const { agents, offer, tame, open, untilPending } = await start();
  offer.answer = async () => null;
  const id = await open(SERVER);
  offer.answer = undefined;
  await offer.renew(id);
  await untilPending(id, [5173]);
  const { api } = agents.kernel;
  await api.post(`/api/agents/${id}/managed/stop`);
  expect(await agents.get(id)).toMatchObject({
    ...{ state: "closed", pendingRestart: null },
  });
  await api.post(`/api/agents/${id}/managed/start`);
  expect(tame.opened.map(({ tools }) => tools.length)).toEqual([0, 1]);
  expect(tame.opened[1]?.resume?.sessionId).toBe(`tame-${id}`);
});

test("a server that does not end with the CLI keeps no agent open", async () => {
  const { agents, offer, open, untilClosed } = await start();
  const beside = { ...SERVER, endsWithCli: false };
  const ids = [await open(beside), await open(beside)] as const;
  await offer.renew(ids[0]);
  await untilClosed(ids[0]);
  await agents.kernel.clock.advance(LONG_MS);
  await untilClosed(ids[1]);
});

test("an idle agent with a server stays open until the server has ended", async () => {
  const { agents, servers, open, untilClosed } = await start();
  const ids = [await open(SERVER), await open()] as const;
  await agents.kernel.clock.advance(LONG_MS);
  await untilClosed(ids[1]);
  expect(await agents.get(ids[0])).toMatchObject({
    ...{ state: "open", pendingRestart: null },
  });
  servers.clear();
  await agents.kernel.clock.advance(LONG_MS);
  await untilClosed(ids[0]);
});

test("room for another agent is made with one without servers, else with the one that rests longest", async () => {
  const { agents, servers, open } = await start({ limits: { openAgents: 2 } });
  const states = (ids: string[]) =>
    Promise.all(ids.map(async (id) => (await agents.get(id)).state));
  const first = await open(SERVER);
  const second = await open();
  const third = await open(SERVER);
  expect(await states([first, second, third])).toEqual([
    ...["open", "closed", "open"],
  ]);
  expect(servers.get(first)).toEqual([SERVER]);
  await open();
  expect(await states([first, third])).toEqual(["closed", "open"]);
});

test("an agent is closed as before on a machine that does not list its servers", async () => {
  const tame = new TameDriver({ tools: true });
  const failing = provideFake(AgentServers, {
    list: () => Promise.reject(new Error("lsof failed")),
  });
  const { agents, open, untilClosed } = await start({
    clis: tame.clis,
    beside: [tame.plugin, failing],
  });
  const id = await open();
  await agents.kernel.clock.advance(LONG_MS);
  await untilClosed(id);
  expect(agents.kernel.log).toContainEqual(
    expect.objectContaining({ level: "warn", reason: "lsof failed" }),
  );
});
