import { expect, test } from "vitest";
import { createProbe, startProbe } from "../support/probe.ts";

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
