import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { DriverBench } from "@gantry/agent-kit/testing";
import pi from "@gantry/plugin-pi";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";

test("a conversation that was begun in the screen is gone on with", async () => {
  const bench = await DriverBench.start([pi]);
  onTestFinished(() => bench.stop());
  const clis = {
    pi: standIn("fake-pi", {
      FAKE_PI_VERSION: "0.87.1",
      FAKE_PI_HOME: bench.folder,
    }),
  };
  const terminals = new FakeTerminals();
  onTestFinished(() => terminals.stop());
  await using agents = await AgentsKernel.start({
    clis,
    beside: [terminals.plugin],
  });
  const { id } = await agents.create({ cli: "pi" });
  await agents.ask(id, "[[reply:old]]");
  // What pi writes for /new on its screen, and for what is said then.
  const { args, env } = clis.pi;
  const other = await bench.open(
    bench.driverOf("pi"),
    await bench.input({ args, env, version: "0.87.1" }),
  );
  await other.turn("[[reply:begun in the screen]]");
  await other.session.end();
  await agents.kernel.api.post(`/api/agents/${id}/open`);
  const { program } = terminals.opened[0] ?? {};
  const extension = await readFile(program?.args.at(-1) ?? "", "utf8");
  const { token } = JSON.parse(
    /^const post = (.*);$/m.exec(extension)?.[1] ?? "{}",
  ) as { token: string };
  const { sessionId, resumeKey } = other.session;
  void agents.kernel.stranger.post(
    `/api/agents/${id}/tui-hello`,
    { sessionId, resumeKey, pid: 1 },
    { authorization: `Bearer ${token}` },
  );
  await agents.untilAgent(
    id,
    (agent) => agent.sessionId === sessionId,
    "the conversation is known",
  );
  await agents.close(id);
  const { body } = await agents.ask(id, "[[recall]]");
  expect(body.answer).toContain("begun in the screen");
  expect((await agents.get(id)).sessionId).toBe(sessionId);
});
