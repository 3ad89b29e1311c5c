import { expect, test } from "vitest";
import { RunFinished } from "../src/contract.ts";
import type { SpendingView } from "../src/wire/spending.ts";
import { startBench } from "./support/start.ts";

test("a run whose agent is opened in a terminal after the gates is skipped, and counts for no cap", async () => {
  await using bench = await startBench();
  bench.agents.answer = () => ({
    failure: "agent-in-terminal",
    message: "The agent is open in a terminal.",
    sessionId: null,
    usage: { inputTokens: null, outputTokens: null, costUsd: null },
  });
  const { id } = await bench.create({ limits: { maxRunsPerDay: 1 } });
  await bench.runNow(id);
  const [run] = await bench.ended(id, 1);
  expect(run).toMatchObject({
    result: "skipped",
    reason: "agent-in-terminal",
    startedAt: null,
    costUsd: null,
  });
  expect(run!.decision.at(-1)).toMatchObject({
    gate: "outcome",
    verdict: "refused",
  });
  expect(bench.kernel.events.all(RunFinished)).toMatchObject([
    { data: { result: "skipped", reason: "agent-in-terminal" } },
  ]);
  const spending = "/api/automations/spending";
  expect(
    (await bench.kernel.api.get<SpendingView>(spending)).body.day.unknownRuns,
  ).toBe(0);

  bench.agents.answer = () => ({});
  await bench.runNow(id);
  expect((await bench.ended(id, 2))[0]).toMatchObject({ result: "done" });
  expect(await bench.runNow(id)).toMatchObject({ reason: "rate-cap" });
});
