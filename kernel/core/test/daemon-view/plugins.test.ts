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
  // Beside those that are part of every daemon.
  const own = daemon
    .plugins()
    .filter(({ id }) => id === "failing" || id === "probe");
  expect(own).toEqual([
    {
      id: "failing",
      version: expect.any(String) as string,
      state: "failed",
      reason: expect.stringContaining("It cannot be set up.") as string,
    },
    {
      id: "probe",
      version: expect.any(String) as string,
      state: "active",
      reason: null,
    },
  ]);
});
