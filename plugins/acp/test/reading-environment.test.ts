import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DriverBench, toStandIn } from "@gantry/agent-kit/testing";
import { createAcpDriver } from "../src/acp-driver.ts";
import { ROUGH_ACP } from "./testing.ts";

let bench: DriverBench;

beforeAll(async () => {
  bench = await DriverBench.start();
});
afterAll(() => bench.stop());

test("variables for read-only runs replace the CLI's own", async () => {
  const { command: file, args } = toStandIn(ROUGH_ACP);
  const input = await bench.input(
    { file, args, env: { PATH: "/own", GIT_DIR: "own" } },
    { asksFirst: true, readingEnvironment: { PATH: "/reading:/own" } },
  );
  const { session } = await bench.open(createAcpDriver(bench.host), input);
  const environment = await readFile(`/proc/${session.pid}/environ`, "utf8");
  const values = environment.split("\0");
  expect(values).toContain("PATH=/reading:/own");
  expect(values).toContain("GIT_DIR=own");
  await session.end();
});
