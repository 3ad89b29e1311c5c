import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentMessages, AgentTools } from "@gantry/plugin-agents/contract";
import type { ToolOffer } from "@gantry/plugin-agents/contract";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import browser from "../../src/index.ts";
import { browserProcesses } from "../support/processes.ts";
import { createRealClock } from "../support/real-clock.ts";
import { testSettings } from "../support/start-pool.ts";
import { agentId, connectClient } from "./support.ts";

/** Starts the whole plugin with a real browser, and an agent connected to its tools. */
export async function startBrowsing() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "browsing-")));
  const offered = Promise.withResolvers<ToolOffer>();
  const messages = provideFake(AgentMessages, {
    prompt: async () => ({ taskId: "tsk_1", delivery: "sent" }),
    continueTurn: () => Promise.reject(new Error("Nothing is cut off.")),
    async answerDialog() {},
    describe: async ({ agentId: id }) =>
      id === agentId
        ? { id, name: "Ada", cwd: folder, cli: "practice", state: "open" }
        : null,
  });
  const tools = provideFake(AgentTools, {
    offer: async (offer) => offered.resolve(offer),
    async renew() {},
  });
  const kernel = await startTestKernel([messages, tools, browser], {
    clock: createRealClock(),
    settings: { browser: testSettings },
  });
  const ending = new AbortController();
  let client: Client | undefined;
  return {
    kernel,
    /** The agent's working folder. */
    folder,
    async allow(body: object) {
      const path = `/api/browser/policies/${agentId}`;
      const answer = await kernel.api.put(path, body);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    },
    async connect() {
      const offer = await offered.promise;
      const input = { agentId, sessionId: "ses_1" };
      const server = await offer.admit(input, ending.signal);
      if (!server) throw new Error("The agent is offered nothing.");
      client = await connectClient(server);
    },
    async call(name: string, input: object): Promise<Record<string, unknown>> {
      if (!client) throw new Error("The agent is not connected.");
      const call = { name, arguments: { ...input } };
      return await client.callTool(call, undefined, { timeout: 80_000 });
    },
    /** Kills the agent's browser. */
    async crash() {
      for (const pid of await browserProcesses(kernel.home))
        process.kill(pid, "SIGKILL");
    },
    async [Symbol.asyncDispose]() {
      await client?.close();
      ending.abort();
      await kernel.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
export type Browsing = Awaited<ReturnType<typeof startBrowsing>>;
