import { expect, test } from "vitest";
import {
  type AgentDriver,
  NO_CAPABILITIES,
  toConfiguredDriver,
} from "@gantry/agent-kit";
import { createTerminalDriver } from "../../src/clis/terminal-driver.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { DriverBench } from "@gantry/agent-kit/testing";

const NEVER = new AbortController().signal;
const receiver = { url: "", token: "" };
const resume = {
  sessionId: "s1",
  resumeKey: "k1",
  reportedCostUsd: null,
  fork: null,
};

test("a screen and a login are taken from the configuration", async () => {
  await using agents = await AgentsKernel.start({
    clis: {
      any: {
        driver: "acp",
        command: process.execPath,
        args: ["acp"],
        screen: { fresh: [], resume: ["--session", "{session}"] },
        login: ["auth"],
        lacks: ["images"],
      },
      top: { driver: "terminal", command: process.execPath, args: ["-i"] },
    },
  });
  const { body } = await agents.kernel.api.get<{
    items: { name: string; capabilities: object }[];
  }>("/api/agents/clis");
  const capabilitiesOf = (name: string) =>
    body.items.find((item) => item.name === name)?.capabilities;
  expect(capabilitiesOf("any")).toMatchObject({
    terminal: true,
    login: true,
    images: false,
    resume: true,
  });
  expect(capabilitiesOf("top")).toEqual({
    ...NO_CAPABILITIES,
    terminal: true,
    tools: true,
  });
  expect(capabilitiesOf("opencode")).toMatchObject({
    terminal: true,
    login: true,
    cost: "usd",
  });
  expect(capabilitiesOf("gemini")).toMatchObject({ resume: false });
  const { id } = await agents.create({ cli: "top" });
  const refused = await agents.ask(id, "hello");
  expect(refused).toMatchObject({
    status: 501,
    body: { code: "AGENT_UNSUPPORTED" },
  });
});

test("the screen of a known conversation names it, and that of a fresh one nothing", async () => {
  const bench = await DriverBench.start();
  const opened: unknown[] = [];
  const plain: AgentDriver = {
    name: "plain",
    capabilities: { ...NO_CAPABILITIES, resume: true },
    trustPaths: ["x"],
    async open(input) {
      opened.push(input.resume);
      throw new Error("It does not start.");
    },
  };
  const driver = toConfiguredDriver(plain, {
    driver: "plain",
    command: "/x",
    args: ["wire"],
    env: {},
    screen: { fresh: ["tui"], resume: ["tui", "--id={session}"] },
    lacks: ["resume"],
  });
  const input = { ...(await bench.input({ args: ["wire"] })), receiver };
  expect(await driver.screen?.(input, NEVER)).toMatchObject({
    args: ["tui"],
    session: null,
    hasReceiver: false,
  });
  expect(await driver.screen?.({ ...input, resume }, NEVER)).toMatchObject({
    args: ["tui", "--id=s1"],
    session: { sessionId: "s1", resumeKey: "k1" },
  });
  expect(driver).toMatchObject({ name: "plain", trustPaths: ["x"] });
  expect(driver.capabilities).toMatchObject({ resume: false, terminal: true });
  await expect(
    driver.open({ ...input, resume }, () => undefined, NEVER),
  ).rejects.toThrow("does not start");
  expect(opened).toEqual([null]);
  await bench.stop();
});

test("a driver that is not configured further is what it was", () => {
  const driver = createTerminalDriver();
  const config = { driver: "terminal", command: "/x", args: [], env: {} };
  expect(toConfiguredDriver(driver, config)).toBe(driver);
});
