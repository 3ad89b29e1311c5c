import { expect, test } from "vitest";
import { createProbe, startProbe } from "../support/probe.ts";

test("any plugin is told how the daemon stands, without secrets", async () => {
  await using kernel = await startProbe();
  const { cookie, sessionId } = await kernel.pairAs("Phone");
  const facts = await kernel.ctx.daemon.facts();
  expect(facts).toMatchObject({
    home: kernel.home,
    daemon: { pid: process.pid },
    configFault: null,
    plugins: [{ id: "probe", origin: "builtin", state: "active", faults: 0 }],
    quarantine: [],
    audit: { state: "intact" },
  });
  const phone = facts.devices!.find(({ id }) => id === sessionId)!;
  expect(Object.keys(phone).sort()).toEqual([
    "address",
    "createdAt",
    "device",
    "id",
    "lastSeenAt",
    "online",
  ]);
  expect(JSON.stringify(facts)).not.toContain(cookie.split("=")[1]);
});

test("all plugins are seen as they are, also those that failed", async () => {
  const failing = createProbe({
    id: "failing",
    setup: () => {
      throw new Error("It cannot be set up.");
    },
  });
  await using kernel = await startProbe({}, { beside: [failing] });
  kernel.expectFault(/cannot be set up/);
  const { daemon } = kernel.ctx;
  expect(daemon.plugins()).toEqual([
    {
      id: "failing",
      summary: "Made for a test",
      version: expect.any(String) as string,
      origin: "builtin",
      state: "failed",
      reason: expect.stringContaining("It cannot be set up.") as string,
      faults: 0,
      ui: null,
    },
    expect.objectContaining({ id: "probe", state: "active", reason: null }),
  ]);
});
