import { createIdentifier, definePlugin } from "@gantry/plugin";
import {
  AgentDeleted,
  AgentMessages,
  AgentTools,
} from "@gantry/plugin-agents/contract";
import type { ToolOffer, ToolServer } from "@gantry/plugin-agents/contract";
import { InboxItems } from "@gantry/plugin-inbox/contract";
import type { NewInboxItem } from "@gantry/plugin-inbox/contract";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import type { TestKernelOptions } from "@gantry/plugin-testing";
import { errors } from "../../../src/errors.ts";
import { AgentAccess } from "../../../src/fence/agent-access.ts";
import { judgeUrl } from "../../../src/fence/judge-site.ts";
import { OwnServers } from "../../../src/fence/own-servers.ts";
import type { Rules } from "../../../src/fence/rules.ts";
import { recordEvents } from "../../../src/records/events.ts";
import { openRecords } from "../../../src/records/open-records.ts";
import { createPolicyRoutes } from "../../../src/routes/policy-routes.ts";
import { openTools } from "../../../src/tools/open-tools.ts";
import { QuestionChanged } from "../../../src/tools/question.ts";
import type { GuardedBrowser } from "../../../src/tools/tools-host.ts";
import { createAgents } from "../../support/create-agents.ts";
import { connectClient } from "./mcp-client.ts";
import type { McpClient } from "./mcp-client.ts";

/** Gantry's own port, as the tools see it. */
export const GANTRY_PORT = 7420;

/** A kernel with the tools of the browser. */
export type ToolsBench = Awaited<ReturnType<typeof startTools>>;

/** Stands in for the part of the agents plugin that takes offers of tools. */
export function createToolTaker() {
  const offers: ToolOffer[] = [];
  const renewed: string[] = [];
  const sessions = new Set<AbortController>();
  return {
    plugin: provideFake(AgentTools, {
      async offer(offer) {
        offers.push(offer);
      },
      async renew({ agentId }) {
        renewed.push(agentId);
      },
    }),
    /** Agents that were opened again. */
    renewed,
    /** Starts a session of an agent; `undefined` if it is offered no tools. */
    async admit(agentId: string) {
      const [offer] = offers;
      if (!offer) throw new Error("Nothing is offered.");
      const ending = new AbortController();
      sessions.add(ending);
      const input = { agentId, sessionId: "ses_1" };
      const server = await offer.admit(input, ending.signal);
      return server ? { server, end: () => ending.abort() } : undefined;
    },
    endAll() {
      for (const ending of sessions) ending.abort();
    },
  };
}

/**
 * Starts a kernel with the tools, stand-ins for agents and the Inbox, and an agent.
 *
 * @param open Opens the agent's browser; `rules` are those of the agent at the moment of the call.
 */
export async function startTools(
  open: (rules: () => Rules) => GuardedBrowser,
  options: TestKernelOptions = {},
) {
  const agentId = createIdentifier("agt");
  const agents = createAgents({ id: agentId, name: "Ada" });
  const taker = createToolTaker();
  const ownPorts: number[] = [];
  const items = new Map<string, NewInboxItem>();
  const inbox = provideFake(InboxItems, {
    async add(item) {
      items.set(item.key ?? "", item);
      return { id: "itm_1" };
    },
    async settle({ key }) {
      items.delete(key);
    },
  });
  const plugin = definePlugin({
    id: "browser",
    api: 1,
    summary: "The tools of the browser",
    mounts: ["/api/browser"],
    wants: { messages: AgentMessages, tools: AgentTools, inbox: InboxItems },
    events: [...recordEvents, QuestionChanged],
    errors,
    async setup(ctx) {
      const { policies } = await openRecords(ctx);
      for (const route of createPolicyRoutes(policies, ctx.wants.messages))
        ctx.route(route);
      const access = new AgentAccess({
        ...{ policies, onRevoked: () => {} },
        servers: new OwnServers({
          ...{ policies, signal: ctx.signal, onFailed: () => {} },
          servers: () => ({
            list: async () => ({
              items: ownPorts.map((port) => ({
                ...{ port, program: null, endsWithCli: true },
              })),
            }),
          }),
        }),
      });
      const ports = new Set([GANTRY_PORT]);
      openTools({
        ...{ ctx, access, policies, messages: ctx.wants.messages },
        ...{ agentTools: ctx.wants.tools, inbox: ctx.wants.inbox },
        judgeUrl: (url, sites) =>
          judgeUrl(url, sites, { ports, names: new Set() }),
        open: async (id) => open(() => access.rulesOf(id)),
      });
    },
  });
  const kernel = await startTestKernel(
    [agents.plugin, taker.plugin, inbox, plugin],
    options,
  );
  const clients = new Set<McpClient>();
  const bench = {
    ...{ kernel, agentId, items, renewed: taker.renewed },
    /** Ports that the agent's processes listen on. */
    ownPorts,
    admit: (id = agentId) => taker.admit(id),
    /** Adds another agent, which may do nothing yet; returns its id. */
    addAgent() {
      const id = createIdentifier("agt");
      agents.agents.set(id, { id, name: "Bob" });
      return id;
    },
    deleteAgent: () => agents.emit(AgentDeleted.of(agentId, {} as never)),
    /** Sets the agent's policy. */
    async allow(body: Partial<Rules> & { ownServers?: boolean }, id = agentId) {
      const path = `/api/browser/policies/${id}`;
      const answer = await kernel.api.put(path, body);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    },
    /** Starts a session with a client of the tools. */
    async connect(id = agentId): Promise<{
      client: McpClient;
      server: ToolServer;
      end(): void;
    }> {
      const session = await bench.admit(id);
      if (!session) throw new Error("The agent is offered nothing.");
      const client = await connectClient(session.server);
      clients.add(client);
      return { ...session, client };
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      taker.endAll();
      await kernel.stop();
    },
  };
  return bench;
}
