import { describe, expect, test } from "vitest";
import { startBench } from "./support/start.ts";

const TARGET = `agt_${"t".repeat(24)}`;
const toTarget = { mode: "message", targetAgentId: TARGET };

describe("a message to an agent", () => {
  test("continues its conversation, and no agent is made for it", async () => {
    await using bench = await startBench();
    const automation = await bench.create(toTarget);
    expect(automation).toMatchObject({ ...toTarget, agentId: null });
    expect(bench.agents.made).toEqual([]);
    const run = await bench.runNow(automation.id);
    const { input, finish } = await bench.agents.started(0);
    expect(input).toMatchObject({
      agentId: TARGET,
      runId: run.id,
      freshSession: false,
      prompt: "Say what is new.",
    });
    finish({ usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.5 } });
    expect(await bench.ended(automation.id, 1)).toMatchObject([
      {
        result: "done",
        agentId: TARGET,
        message: "All is well.",
        costUsd: 0.5,
      },
    ]);
  });

  test("waits while the agent is busy, and is not skipped", async () => {
    await using bench = await startBench();
    const { id } = await bench.create(toTarget);
    bench.agents.facts.busy = true;
    expect(await bench.runNow(id)).toMatchObject({ result: "running" });
    const [run] = await bench.runs(id);
    expect(run?.decision).toContainEqual(
      expect.objectContaining({
        gate: "target",
        verdict: "passed",
        detail: expect.stringContaining("when its turn is over"),
      }),
    );
    // The second finds the first still going.
    expect(await bench.runNow(id)).toMatchObject({
      result: "skipped",
      reason: "busy",
    });
  });

  test("is skipped when the agent is open in a terminal", async () => {
    await using bench = await startBench();
    const { id } = await bench.create(toTarget);
    bench.agents.facts.inTerminal = true;
    expect(await bench.runNow(id)).toMatchObject({
      result: "skipped",
      reason: "agent-in-terminal",
      agentId: TARGET,
      startedAt: null,
    });
    expect(bench.agents.runs).toEqual([]);
  });

  test("fails when the agent is gone or its CLI is missing, and no agent is made", async () => {
    await using bench = await startBench();
    const { id } = await bench.create(toTarget);
    bench.agents.facts.cliInstalled = false;
    expect(await bench.runNow(id)).toMatchObject({
      result: "failed",
      reason: "cli-missing",
    });
    bench.agents.gone.add(TARGET);
    expect(await bench.runNow(id)).toMatchObject({
      result: "failed",
      reason: "target-gone",
    });
    expect(bench.agents.made).toEqual([]);
    // It can still be changed, but for that.
    const path = `/api/automations/${id}`;
    const renamed = await bench.kernel.api.patch(path, { name: "Renamed" });
    expect(renamed.status).toBe(200);
  });

  test("hands over what the webhook brought, and ends with the agent's own failure", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook(toTarget);
    await bench.fire(automation.id, secret, new TextEncoder().encode("News"));
    const { input, finish } = await bench.agents.started(0);
    expect(input).toMatchObject({ agentId: TARGET, freshSession: false });
    expect(input.prompt).toContain("News");
    finish({ failure: "target-gone", message: "It was deleted." });
    expect(await bench.ended(automation.id, 1)).toMatchObject([
      { result: "failed", reason: "target-gone" },
    ]);
  });

  test("becomes a run of an agent of its own when the mode is changed, and back", async () => {
    await using bench = await startBench();
    const { id } = await bench.create(toTarget);
    const path = `/api/automations/${id}`;
    const { body } = await bench.kernel.api.patch<{
      automation: { agentId: string };
    }>(path, { mode: "start" });
    expect(bench.agents.made).toMatchObject([
      { automationId: id, agentId: body.automation.agentId },
    ]);
    await bench.runNow(id);
    const { input, finish } = await bench.agents.started(0);
    expect(input).toMatchObject({
      agentId: body.automation.agentId,
      freshSession: true,
    });
    finish();
    await bench.ended(id, 1);
    // The target was kept.
    await bench.kernel.api.patch(path, { mode: "message" });
    await bench.runNow(id);
    expect((await bench.agents.started(1)).input.agentId).toBe(TARGET);
    expect(bench.agents.made).toHaveLength(1);
  });
});
