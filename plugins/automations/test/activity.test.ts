import { AgentRuns } from "@gantry/plugin-agents/contract";
import { definePlugin } from "@gantry/plugin";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { AutomationActivity, RunFinished } from "../src/contract.ts";
import plugin from "../src/index.ts";
import { createFakeAgents } from "./support/fake-agents.ts";

const NEVER = new AbortController().signal;

test("other plugins see which runs are running and which are queued", async () => {
  const agents = createFakeAgents();
  let activity: AutomationActivity | undefined;
  await using kernel = await startTestKernel(
    [
      provideFake(AgentRuns, agents.service),
      plugin,
      definePlugin({
        id: "other",
        api: 1,
        summary: "Waits for a moment without runs",
        mounts: [],
        needs: { activity: AutomationActivity },
        setup(ctx) {
          activity = ctx.needs.activity;
        },
      }),
    ],
    { settings: { automations: { limits: { concurrentRuns: 1 } } } },
  );
  const active = async () => (await activity!.activeRuns({}, NEVER)).items;
  expect(await active()).toEqual([]);

  const names = ["Morning brief", "Nightly tests"];
  for (const name of names) {
    const { body } = await kernel.api.post<{ automation: { id: string } }>(
      "/api/automations",
      { name, prompt: "Say what is new." },
    );
    const { id } = body.automation;
    await kernel.api.post(`/api/automations/${id}/run`);
  }
  await expect.poll(() => agents.runs.length).toBe(1);
  const items = await active();
  expect(items).toHaveLength(2);
  expect(items).toContainEqual(
    expect.objectContaining({
      automationName: names[0],
      startedAt: kernel.clock.timestamp(),
    }),
  );
  expect(items).toContainEqual(
    expect.objectContaining({ automationName: names[1], startedAt: null }),
  );

  for (const count of [1, 2]) {
    await expect.poll(() => agents.runs.length).toBe(count);
    agents.runs.at(-1)!.finish();
    while (kernel.events.all(RunFinished).length < count)
      await kernel.events.next(RunFinished);
  }
  expect(await active()).toEqual([]);
});
