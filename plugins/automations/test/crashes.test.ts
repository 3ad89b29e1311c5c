import { describe, expect, test } from "vitest";
import { createFakeAgents } from "./support/fake-agents.ts";
import { startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A bench whose agents end each run with an error, right after it has begun. */
async function startCrashing(): Promise<
  Bench & { crash(id: string, secret: string): Promise<string> }
> {
  const agents = createFakeAgents();
  agents.answer = () => ({
    failure: "agent-error",
    message: "Segmentation fault.",
  });
  const bench = await startBench({ agents });
  let ended = 0;
  return Object.assign(bench, {
    /** Fires the webhook, and gives the result. */
    async crash(id: string, secret: string) {
      await bench.kernel.clock.advance(SECOND);
      await bench.fire(id, secret);
      const [run] = await bench.ended(id, ++ended);
      return `${run!.result} ${run!.reason}`;
    },
  });
}

describe("an agent that ends with an error as soon as it has begun", () => {
  test("is started five times in ten minutes and no more", async () => {
    await using bench = await startCrashing();
    const { automation, secret } = await bench.createHook();
    const { id } = automation;
    const results: string[] = [];
    for (let count = 0; count < 7; count++)
      results.push(await bench.crash(id, secret));
    expect(results).toEqual([
      ...Array.from({ length: 5 }, () => "failed agent-error"),
      ...Array.from({ length: 2 }, () => "skipped rate-cap"),
    ]);
    expect(bench.agents.runs).toHaveLength(5);
    const [last] = await bench.runs(id);
    expect(last!.message).toMatch(/^5 runs within ten minutes ended/);
    expect(last!.decision.at(-1)).toMatchObject({
      gate: "rate-cap",
      verdict: "refused",
      figures: { crashes: 5 },
    });

    // A restart does not reset the count.
    await bench.kernel.restart();
    await bench.fire(id, secret);
    expect((await bench.runs(id))[0]).toMatchObject({ result: "skipped" });

    // By hand it is tried all the same, and after ten minutes by itself.
    await bench.runNow(id);
    expect(bench.agents.runs).toHaveLength(6);
    await bench.kernel.clock.advance(10 * MINUTE);
    await bench.fire(id, secret);
    expect((await bench.ended(id, 10))[0]).toMatchObject({
      result: "failed",
      reason: "agent-error",
    });
    expect(bench.agents.runs).toHaveLength(7);
  });

  test("is started as before once it has worked", async () => {
    await using bench = await startCrashing();
    const { automation, secret } = await bench.createHook();
    const { id } = automation;
    const crash = bench.agents.answer;
    for (let count = 0; count < 4; count++) await bench.crash(id, secret);
    bench.agents.answer = () => ({});
    expect(await bench.crash(id, secret)).toBe("done null");
    bench.agents.answer = crash;
    expect(await bench.crash(id, secret)).toBe("failed agent-error");
    expect(await bench.crash(id, secret)).toBe("failed agent-error");
  });

  test("one that worked for a while before its error is no crash", async () => {
    await using bench = await startCrashing();
    bench.agents.answer = undefined;
    const { automation, secret } = await bench.createHook();
    for (let count = 0; count < 7; count++) {
      await bench.fire(automation.id, secret);
      const run = await bench.agents.started(count);
      await bench.kernel.clock.advance(11 * SECOND);
      run.finish({ failure: "agent-error", message: "Too many tokens." });
      const [ended] = await bench.ended(automation.id, count + 1);
      expect(ended).toMatchObject({ result: "failed", reason: "agent-error" });
    }
  });

  test("other automations are not held up", async () => {
    await using bench = await startCrashing();
    const { automation, secret } = await bench.createHook();
    for (let count = 0; count < 6; count++)
      await bench.crash(automation.id, secret);
    const other = await bench.createHook({ name: "Other" });
    await bench.fire(other.automation.id, other.secret);
    expect((await bench.ended(other.automation.id, 1))[0]).toMatchObject({
      reason: "agent-error",
    });
  });
});
