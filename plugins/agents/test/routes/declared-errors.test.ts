import { defineErrors } from "@gantry/plugin";
import { TerminalHost } from "@gantry/plugin-terminals/contract";
import { provideFake } from "@gantry/plugin-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { MemoryDriver } from "../help/memory-driver.ts";

const errors = defineErrors({
  TERMINAL_LIMIT: {
    status: 409,
    title: "Too many terminals",
    detail: "There are {most} terminals; close one first.",
  },
});

let agents: AgentsKernel;
const memory = new MemoryDriver();

beforeAll(async () => {
  const full = provideFake(TerminalHost, {
    open: () => Promise.reject(errors.TERMINAL_LIMIT({ most: 8 })),
    describe: () => Promise.resolve(null),
    find: () => Promise.resolve(null),
    close: () => Promise.resolve(),
    paste: () => Promise.resolve(),
  });
  agents = await AgentsKernel.start({
    clis: memory.clis,
    beside: [memory.plugin, full],
  });
});
// A test kernel finds a fault in each code that is answered and not declared.
afterAll(() => agents.kernel.stop());

test.each(["open", "login"])(
  "%s declares what the terminals refuse",
  async (path) => {
    const { id } = await agents.create({ cli: "memory" });
    const answer = await agents.kernel.api.post(`/api/agents/${id}/${path}`);
    expect(answer).toMatchObject({
      status: 409,
      body: { code: "TERMINAL_LIMIT" },
    });
  },
);

interface Described {
  paths: Record<
    string,
    {
      post: {
        requestBody: { content: Record<string, { schema: object }> };
        responses: object;
      };
    }
  >;
}

test("import says what it takes, and receivers in a screen that they can be refused", async () => {
  const { body } = await agents.kernel.api.get<Described>("/api/openapi.json");
  const operation = (name: string) =>
    body.paths[`/api/agents/{id}/${name}`]?.post;
  expect(operation("import")?.requestBody.content).toMatchObject({
    "application/x-ndjson": {
      schema: {
        contentSchema: { anyOf: [expect.any(Object), expect.any(Object)] },
      },
    },
  });
  for (const name of ["tui-hello", "tui-ack"])
    expect(operation(name)?.responses).toHaveProperty("401");
});
