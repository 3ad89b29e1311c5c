import { expect, test } from "vitest";
import { createSecret } from "@gantry/system/secret";
import { createLogFactory } from "@gantry/system/log/log";
import { createLogRing } from "@gantry/system/log/log-ring";
import { startProbe } from "../support/probe.ts";

test("lines of the log are read again, without their secrets, with what they follow", async () => {
  await using kernel = await startProbe();
  const { daemon, log } = kernel.ctx;
  const before = daemon.logLines().at(-1)!.number;
  const secret = createSecret();
  log.warn(`Token ${secret}`, { level: "odd", password: secret, count: 3 });
  log.error("Failed", {}, new Error(`At ${secret}`));
  kernel.expectFault(/Failed/);
  const lines = daemon.logLines({ after: before });
  expect(lines).toEqual([
    {
      number: before + 1,
      at: "2026-03-02T12:00:00.000Z",
      level: "warn",
      owner: "probe",
      message: "Token [redacted]",
      fields: { level: "odd", password: "[redacted]", count: 3 },
    },
    {
      number: before + 2,
      at: "2026-03-02T12:00:00.000Z",
      level: "error",
      owner: "probe",
      message: "Failed",
      fields: { cause: expect.stringContaining("At [redacted]") as string },
    },
  ]);
  expect(daemon.logLines({ after: before, limit: 1 })).toEqual([lines[0]]);
  expect(daemon.logLines({ limit: 1 })).toEqual([lines[1]]);
  expect(daemon.logLines({ after: before + 2 })).toEqual([]);
  expect(daemon.logLines().some(({ owner }) => owner === "kernel")).toBe(true);
});

const line = (message: string) => ({
  at: "2026-03-02T12:00:00.000Z",
  level: "info" as const,
  owner: "probe",
  message,
  fields: {},
});

test("the newest lines are kept, up to a number and a size", () => {
  const ring = createLogRing(3, 1_000, 0);
  for (let at = 1; at <= 5; at++) ring.add(line(String(at)));
  const messages = () => ring.read().map(({ message }) => message);
  expect(messages()).toEqual(["3", "4", "5"]);
  ring.add(line("x".repeat(600)));
  expect(messages()).toEqual(["4", "5", "x".repeat(600)]);
  ring.add(line("y".repeat(600)));
  expect(messages()).toEqual(["y".repeat(600)]);
  ring.add(line("z".repeat(2_000)));
  expect(messages()).toEqual([]);
  ring.add(line("after"));
  expect(ring.read()).toMatchObject([{ number: 9, message: "after" }]);
});

test.each([
  ["silent", ["info", "warn", "error"]],
  ["warn", ["info", "warn", "error"]],
  ["debug", ["debug", "info", "warn", "error"]],
] as const)(
  "with the log at %s, what a person asks for later is kept",
  (level, kept) => {
    const ring = createLogRing();
    const written: string[] = [];
    const logOf = createLogFactory({
      level,
      ring,
      sink: (text) => void written.push(text),
      now: () => "2026-03-02T12:00:00.000Z",
    });
    const log = logOf("probe");
    log.debug("d");
    log.info("i");
    log.warn("w");
    log.error("e");
    expect(ring.read().map((found) => found.level)).toEqual(kept);
    expect(written).toHaveLength({ silent: 0, warn: 2, debug: 4 }[level]);
  },
);
