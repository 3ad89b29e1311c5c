import { beforeEach, expect, onTestFinished, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { isRunning } from "@gantry/agent-kit/testing";

// A screen outlives the daemon. It must be handled also without the terminals plugin.

let home: string;
let memory: MemoryDriver;
let terminals: FakeTerminals;

beforeEach(async () => {
  home = await temporaryFolder();
  memory = new MemoryDriver();
  terminals = new FakeTerminals();
  onTestFinished(() => terminals.stop());
});

const start = (beside: "terminals" | "nothing") =>
  AgentsKernel.start({
    home,
    clis: memory.clis,
    beside: [
      memory.plugin,
      ...(beside === "terminals" ? [terminals.plugin] : []),
    ],
  });

/** Opens an agent in a terminal and stops its daemon. Returns the agent and the process of its screen. */
async function leaveScreen(): Promise<{ id: string; pid: number }> {
  await using agents = await start("terminals");
  const { id } = await agents.create({ cli: "memory" });
  await agents.ask(id, "one");
  await agents.kernel.api.post(`/api/agents/${id}/open`);
  const [pid = 0] = terminals.pids;
  return { id, pid };
}

test("close ends the CLI of a screen also without the terminals plugin", async () => {
  const { id, pid } = await leaveScreen();
  await using agents = await start("nothing");
  expect(await agents.get(id)).toMatchObject({ mode: "terminal" });
  await agents.close(id);
  expect(await isRunning(pid)).toBe(false);
  expect(await agents.get(id)).toMatchObject({ state: "closed", mode: null });
  expect((await agents.ask(id, "two")).body.answer).toBe("one | two");
});

test("deleting the agent ends the CLI of its screen too", async () => {
  const { id, pid } = await leaveScreen();
  await using agents = await start("nothing");
  await agents.kernel.api.delete(`/api/agents/${id}`);
  expect(await isRunning(pid)).toBe(false);
});

test("a screen whose CLI ended while the daemon was away is closed at its start", async () => {
  const { id } = await leaveScreen();
  await terminals.stop();
  await using agents = await start("nothing");
  expect(await agents.get(id)).toMatchObject({ state: "closed", mode: null });
  expect((await agents.ask(id, "two")).body.answer).toBe("one | two");
});

test("a terminal that is gone while its CLI lives keeps the conversation locked", async () => {
  await using agents = await start("terminals");
  const { id } = await agents.create({ cli: "memory" });
  await agents.ask(id, "one");
  const { body } = await agents.kernel.api.post<{ terminalId: string }>(
    `/api/agents/${id}/open`,
  );
  const [pid] = terminals.pids;
  await terminals.loseSight(body.terminalId);
  await agents.untilAgent(id, ({ mode }) => mode === null, "it is closed");
  const refused = await agents.ask(id, "two");
  expect(refused).toMatchObject({
    status: 409,
    body: { code: "AGENT_SESSION_LOCKED" },
  });
  expect(refused.body["detail"]).toContain(String(pid));
  await terminals.stop();
  expect((await agents.ask(id, "three")).body.answer).toBe("one | three");
});
