import { runs } from "@gantry/build/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeRpcError } from "../../src/drivers/rpc-error.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";

const REASON = "API key not valid. Please pass a valid API key.";
const inText = JSON.stringify({ error: { message: REASON } });

test.each([
  ["details", { details: REASON }],
  ["a text", REASON],
  ["a message", { message: REASON }],
  ["nested", { error: { code: 400, message: REASON } }],
  ["a list", { errors: [{ message: REASON }] }],
  ["JSON in a text", inText],
  ["JSON in a field", { details: inText }],
  ["beside others", { status: 400, cause: { reason: REASON } }],
])("the reason of an error is told, given as %s", (_form, data) => {
  const error = { code: -32603, message: "Internal error", data };
  expect(describeRpcError(error)).toBe(`Internal error: ${REASON}`);
});

test("what says no more than the message is not repeated, and what has no known field is told whole", () => {
  const message = "Model not found";
  expect(describeRpcError({ message, data: { message } })).toBe(message);
  expect(describeRpcError({ message, data: null })).toBe(message);
  expect(describeRpcError({ message, data: { status: 404 } })).toBe(
    `${message}: {"status":404}`,
  );
  expect(describeRpcError({ data: REASON })).toBe(REASON);
  expect(describeRpcError({})).toBe("It failed without a reason.");
});

test("it is cut, and what cannot be seen is written out", () => {
  const long = describeRpcError({ message: "x", data: "y".repeat(1_000_000) });
  expect(long.length).toBeLessThan(2100);
  expect(long).toContain("more characters are not shown");
  const hidden = describeRpcError({ message: "a\u202eb\u0000" });
  expect(hidden).toBe("a⟨U+202E⟩b⟨U+0000⟩");
});

test("whatever an agent sends, there is a sentence", () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (message, data) => {
      const said = describeRpcError({ code: -32603, message, data });
      expect(said.length).toBeGreaterThan(0);
      expect(said.length).toBeLessThan(3000);
    }),
    { numRuns: runs(100) },
  );
});

describe("an agent", () => {
  let agents: AgentsKernel;
  beforeAll(async () => {
    const clis = {
      rough: standIn("rough-acp"),
      login: standIn("rough-acp", { ROUGH_LOGIN: "1" }),
    };
    agents = await AgentsKernel.start({ clis });
  });
  afterAll(() => agents.kernel.stop());

  test("that refuses a prompt says why, and the way on is kept with it", async () => {
    const { id } = await agents.create({ cli: "rough" });
    const error = { code: -32603, message: "Internal error", data: REASON };
    const { status, body } = await agents.ask(
      id,
      `[[error:${JSON.stringify(error)}]]`,
    );
    expect(status).toBe(502);
    expect(body["detail"]).toContain(REASON);
    const { problem } = await agents.get(id);
    expect(problem).toMatchObject({ kind: "authentication", resetsAt: null });
    await agents.ask(id, "[[reply:better]]");
    expect((await agents.get(id)).problem).toBeNull();
  });

  test("that wants a login says so at a prompt as at its start", async () => {
    const { id } = await agents.create({ cli: "rough" });
    const error = { code: -32000, message: "Authentication required" };
    const { body } = await agents.ask(id, `[[error:${JSON.stringify(error)}]]`);
    expect(body["detail"]).toContain("log in first");
    const { id: other } = await agents.create({ cli: "login" });
    const start = await agents.ask(other, "x");
    expect(start.body["detail"]).toContain("log in first");
  });
});
