import { expect, test, vi } from "vitest";
import { SessionLocks } from "../../src/live/session-locks.ts";
import { Receivers } from "../../src/screens/receivers.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { until } from "@gantry/agent-kit/testing";

test("a screen that ends while it shows another conversation leaves that one free", async () => {
  const memory = new MemoryDriver();
  const terminals = new FakeTerminals();
  await using agents = await AgentsKernel.start({
    clis: memory.clis,
    beside: [memory.plugin, terminals.plugin],
  });
  const { id } = await agents.create({ cli: "memory" });
  await agents.ask(id, "one");
  const path = `/api/agents/${id}`;
  const opened = await agents.kernel.api.post<{ terminalId: string }>(
    `${path}/open`,
  );
  const { token } = memory.screens.at(-1)!.receiver;

  let release = () => undefined as void;
  const isHeldUp = new Promise<void>((done) => (release = done));

  const original = SessionLocks.prototype.take;
  const take = vi
    .spyOn(SessionLocks.prototype, "take")
    .mockImplementation(async function (this: SessionLocks, ...args) {
      await isHeldUp;
      return await original.apply(this, args);
    });
  const forget = vi.spyOn(Receivers.prototype, "forget");
  void agents.kernel.stranger
    .post(
      `${path}/tui-hello`,
      { sessionId: "session-9" },
      { authorization: `Bearer ${token}` },
    )
    .catch(() => undefined);
  await until(() => take.mock.calls.length > 0, "the screen shows another");
  await terminals.end(opened.body.terminalId);
  await until(() => forget.mock.calls.length > 0, "the screen has ended");
  release();
  await agents.untilAgent(id, ({ mode }) => mode === null, "it is closed");
  take.mockRestore();
  expect(await agents.kernel.api.post(`${path}/managed/start`)).toMatchObject({
    status: 200,
  });
});
