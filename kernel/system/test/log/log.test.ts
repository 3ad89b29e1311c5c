import { expect, test } from "vitest";
import { createSecret } from "@gantry/system/secret";
import { errors } from "@gantry/system/errors";
import { createLogFactory } from "@gantry/system/log/log";

function createLog() {
  const lines: string[] = [];
  const logOf = createLogFactory({
    level: "info",
    sink: (line) => void lines.push(line),
    now: () => "2026-03-02T12:00:00.000Z",
  });
  const parsed = () =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { lines, parsed, log: logOf("probe") };
}

test("a line has no secret in its message, its fields or its cause", () => {
  const { lines, log } = createLog();
  const secret = createSecret();
  const inner = new Error(`Refused: cookie: gantry_session=${secret}`);
  const cause = new Error(`At https://ada:${secret}@example.org`, {
    cause: inner,
  });
  log.error(`Token ${secret}`, { url: `/x?token=${secret}` }, cause);
  log.error("Thrown", {}, secret);
  log.error("Thrown", {}, { toString: () => secret });
  expect(lines).toHaveLength(3);
  expect(lines.join()).not.toContain(secret);
  expect(lines[0]).toContain("caused by");
});

test("a field whose name says that it is a secret shows none", () => {
  const { parsed, log } = createLog();
  log.info("Called", {
    password: "swordfish",
    apiKey: "a",
    path: "/x",
    tokens: 3,
  });
  expect(parsed()[0]).toMatchObject({
    password: "[redacted]",
    apiKey: "[redacted]",
    path: "/x",
    tokens: 3,
  });
});

test("whatever is handed in is one line that shows all of itself", () => {
  const { lines, parsed, log } = createLog();
  const hostile = "a\r\nb\u001b[2J\u0085\u2028\u202e\u200b\u007f";
  log.warn(hostile, { hostile, long: "x y ".repeat(100_000) });
  const circle: { self?: unknown } = {};
  circle.self = circle;
  log.warn("Odd", { circle, big: 10n, none: undefined } as never);
  const fault = new Error("In a circle");
  fault.cause = fault;
  log.error("Odd", {}, fault);
  expect(lines).toHaveLength(3);
  expect(lines.join("")).toMatch(/^[\x20-\x7e…]*$/);
  expect(parsed()[0]!.hostile).toBe(hostile);
  expect(String(parsed()[0]!.long).length).toBeLessThan(260);
  expect(parsed()[1]).toMatchObject({ circle: "[object Object]", big: "10" });
});

test("a write that comes while the home is replaced is no error", () => {
  const { log, parsed } = createLog();
  log.error("Not stored", {}, errors.HOME_REPLACEMENT_PENDING());
  log.error("Not stored", {}, new Error("The disk is full."));
  expect(parsed().map(({ level }) => level)).toEqual(["info", "error"]);
});
