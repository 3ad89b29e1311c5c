import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentDriver } from "../../src/driver.ts";
import { createAcpDriver } from "../../src/drivers/acp/acp-driver.ts";
import { createClaudeDriver } from "../../src/drivers/claude/claude-driver.ts";
import { createPiDriver } from "../../src/drivers/pi/pi-driver.ts";
import { standIn } from "../help/agents-kernel.ts";
import { DriverBench } from "../help/driver-bench.ts";

let bench: DriverBench;

beforeAll(async () => {
  bench = await DriverBench.start();
});
afterAll(() => bench.stop());

const DRIVERS: readonly (readonly [
  Parameters<typeof standIn>[0],
  (host: DriverBench["host"]) => AgentDriver,
])[] = [
  ["fake-pi", createPiDriver],
  ["fake-claude", createClaudeDriver],
  ["rough-acp", createAcpDriver],
];

test.each(DRIVERS)(
  "the CLI of %s gets the variables for reading in place of its own",
  async (name, create) => {
    const { command, args = [] } = standIn(name)!;
    const input = await bench.input(
      { file: command!, args, env: { PATH: "/own", GIT_DIR: "own" } },
      { asksFirst: true, readingEnvironment: { PATH: "/reading:/own" } },
    );
    const { session } = await bench.open(create(bench.host), input);
    const environment = await readFile(`/proc/${session.pid}/environ`, "utf8");
    const values = environment.split("\0");
    expect(values).toContain("PATH=/reading:/own");
    expect(values).toContain("GIT_DIR=own");
    await session.end();
  },
);
