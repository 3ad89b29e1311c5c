import { expect, test } from "vitest";
import { errors } from "../../src/errors.ts";
import { Waker, type WakerHost } from "../../src/queue/waker.ts";

test("agents without a driver are started for their messages once the driver is added", async () => {
  const started: string[] = [];
  const failed: string[] = [];
  let isThere = false;
  const host = {
    fleet: {
      start: async (agentId: string) => {
        if (!isThere) throw errors.AGENT_CLI_MISSING({ cli: "late" });
        started.push(agentId);
      },
    },
    queue: { wantsStart: async (agentId: string) => agentId !== "agt_none" },
    waiters: { failed: (agentId: string) => void failed.push(agentId) },
    log: { warn: () => undefined },
    signal: new AbortController().signal,
  };
  const waker = new Waker(host as unknown as WakerHost);
  for (const agentId of ["agt_one", "agt_two", "agt_none"]) waker.wake(agentId);
  // The waiters of an answer are rejected at once.
  await expect.poll(() => failed).toEqual(["agt_one", "agt_two"]);
  waker.driverAdded();
  await expect.poll(() => failed).toHaveLength(4);
  isThere = true;
  waker.driverAdded();
  await expect.poll(() => started).toEqual(["agt_one", "agt_two"]);
  waker.driverAdded();
  expect(started).toHaveLength(2);
});
