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
