import { definePlugin } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { AgentDeleted } from "@gantry/plugin-agents/contract";
import { expect, test, vi } from "vitest";
import { createStandInBrowser } from "./stand-in-browser.ts";
import { agentId, startTools } from "./support.ts";

const start = () => startTools({ open: async () => createStandInBrowser() });
const path = `/api/browser/policies/${agentId}`;

test("a policy is written, changed, listed and kept", async () => {
  await using bench = await start();
  const { api } = bench.kernel;
  expect(
    await api.put(path, {
      tier: "act",
      sites: ["Example.com", "https://example.com/", "localhost:3000"],
      ownServers: true,
    }),
  ).toMatchObject({
    status: 200,
    body: {
      agentId,
      tier: "act",
      sites: ["example.com", "localhost:3000"],
      ownServers: true,
      revision: 1,
    },
  });
  expect(await api.put(path, { tier: "read" })).toMatchObject({
    status: 200,
    body: { tier: "read", sites: [], ownServers: false, revision: 2 },
  });
  await bench.kernel.restart();
  expect(await api.get("/api/browser/policies")).toMatchObject({
    body: { items: [{ agentId, tier: "read" }] },
  });
});

test.for([
  [{ tier: "root" }, 400, "INPUT_INVALID"],
  [{}, 400, "INPUT_INVALID"],
  [{ tier: "act", sites: ["localhost"] }, 400, "INPUT_INVALID"],
  [{ tier: "act", sites: ["a b"] }, 400, "INPUT_INVALID"],
  [{ tier: "act", folder: "/" }, 400, "INPUT_INVALID"],
] as const)("%j is refused", async ([body, status, code]) => {
  await using bench = await start();
  expect(await bench.kernel.api.put(path, body)).toMatchObject({
    status,
    body: { code },
  });
});

test("only an existing agent can have one", async () => {
  await using bench = await start();
  const { api } = bench.kernel;
  for (const id of [`agt_${"b".repeat(24)}`, "nobody"])
    expect(
      await api.put(`/api/browser/policies/${id}`, { tier: "act" }),
    ).toMatchObject({ status: 404, body: { code: "BROWSER_AGENT_NOT_FOUND" } });
});

test("a policy goes with its agent", async () => {
  let emit: PluginContext["emit"] | undefined;
  const agents = definePlugin({
    id: "agents",
    api: 1,
    summary: "Tells that an agent was deleted",
    mounts: [],
    events: [AgentDeleted],
    setup: (ctx) => void (emit = (...events) => ctx.emit(...events)),
  });
  await using bench = await startTools(
    { open: async () => createStandInBrowser() },
    { beside: [agents] },
  );
  await bench.allow({ tier: "act" });
  await emit?.(AgentDeleted.of(agentId, { name: "Ada" }));
  await vi.waitFor(async () =>
    expect(await bench.kernel.api.get("/api/browser/policies")).toMatchObject({
      body: { items: [] },
    }),
  );
});
