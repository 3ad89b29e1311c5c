import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentDriver } from "@gantry/agent-kit";
import { createPiDriver } from "../src/pi-driver.ts";
import { FAKE_PI } from "./testing.ts";
import { toStandIn, DriverBench } from "@gantry/agent-kit/testing";

// Querying pi's version may take too long on a busy machine.

let bench: DriverBench;
let driver: AgentDriver;

beforeAll(async () => {
  bench = await DriverBench.start();
  driver = createPiDriver(bench.host);
});
afterAll(() => bench.stop());

test.each(["0.74.2", "0.87.1"])(
  "turns of %s end also where its version is not known",
  async (version) => {
    const input = await bench.input({
      args: toStandIn(FAKE_PI).args,
      env: { FAKE_PI_VERSION: version, FAKE_PI_HOME: bench.folder },
      version: null,
    });
    const open = await bench.open(driver, input);
    for (const words of ["one", "two", "three"])
      expect((await open.turn(`[[reply:${words}]]`)).answer).toBe(words);
    expect(open.of("turn-ended")).toHaveLength(3);
  },
);
