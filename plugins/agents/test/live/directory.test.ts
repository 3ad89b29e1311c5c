import { definePlugin } from "@gantry/plugin";
import { expect, test } from "vitest";
import { AgentDirectory } from "../../src/contract.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";

const NEVER = new AbortController().signal;

test("other plugins see all agents, or those that are open", async () => {
  let directory: AgentDirectory | undefined;
  const other = definePlugin({
    id: "other",
    api: 1,
    summary: "Counts agents",
    mounts: [],
    needs: { directory: AgentDirectory },
    setup: (ctx) => void (directory = ctx.needs.directory),
  });
  await using agents = await AgentsKernel.start({ beside: [other] });
  const list = async (state?: "open" | "closed") =>
    (await directory!.list({ state }, NEVER)).items;
  expect(await list()).toEqual([]);

  const one = await agents.create({ cli: "practice" });
  const { id, name, cwd, cli } = await agents.create({ cli: "practice" });
  await agents.ask(id, "Hello");
  await agents.untilIdle(id);
  const open = { id, name, cwd, cli, state: "open", activity: "idle" };
  expect(await list("open")).toEqual([open]);
  expect((await list("closed")).map((agent) => agent.id)).toEqual([one.id]);
  expect(await list()).toHaveLength(2);
});

test("other plugins read one agent, the parent of work folders, and counts of messages", async () => {
  let directory: AgentDirectory | undefined;
  const other = definePlugin({
    id: "other",
    api: 1,
    summary: "Serves a part of an agent",
    mounts: [],
    needs: { directory: AgentDirectory },
    setup: (ctx) => void (directory = ctx.needs.directory),
  });
  await using agents = await AgentsKernel.start({ beside: [other] });
  const { id, name, cwd, cli } = await agents.create({ cli: "practice" });
  expect(await directory!.get({ agentId: id }, NEVER)).toEqual({
    ...{ id, name, cwd, cli, state: "closed", activity: "idle" },
  });
  const { path } = await directory!.workFolder({}, NEVER);
  expect(cwd.startsWith(path)).toBe(true);
  await agents.ask(id, "Hello");
  const counts = await directory!.countDeliveries({ agentId: id }, NEVER);
  expect(counts).toEqual({
    tasks: { queued: 0, delivering: 0, delivered: 1, failed: 0, cancelled: 0 },
    ways: { protocol: 1, receiver: 0, paste: 0 },
    way: "protocol",
  });
  const agentId = "agt_none";
  const unknown = { code: "AGENT_NOT_FOUND" };
  await expect(directory!.get({ agentId }, NEVER)).rejects.toMatchObject(
    unknown,
  );
  await expect(
    directory!.countDeliveries({ agentId }, NEVER),
  ).rejects.toMatchObject(unknown);
});
