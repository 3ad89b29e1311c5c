import { connect } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { definePlugin } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { AgentMessages, AgentTools } from "@gantry/plugin-agents/contract";
import type { ToolOffer, ToolServer } from "@gantry/plugin-agents/contract";
import { InboxItems } from "@gantry/plugin-inbox/contract";
import type { NewInboxItem } from "@gantry/plugin-inbox/contract";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import type { TestKernelOptions } from "@gantry/plugin-testing";
import { errors } from "../../src/errors.ts";
import type { Rules } from "../../src/fence/policy.ts";
import { judgeUrl } from "../../src/fence/judge-site.ts";
import { openRecords } from "../../src/records/browser-records.ts";
import { recordEvents } from "../../src/records/events.ts";
import { createRecordRoutes } from "../../src/routes/record-routes.ts";
import { AgentRules } from "../../src/tools/agent-rules.ts";
import { openTools } from "../../src/tools/open-tools.ts";
import { QuestionChanged } from "../../src/tools/question.ts";
import type { GuardedBrowser } from "../../src/tools/tools-host.ts";

export const agentId = `agt_${"a".repeat(24)}`;
/** Gantry's own port, as the guard sees it. */
export const GANTRY_PORT = 7420;

type Prompt = Parameters<AgentMessages["prompt"]>[0];

/** Opens the browsers of {@link startTools}. */
export interface BrowserSource {
  open(agentId: string, rules: () => Rules): Promise<GuardedBrowser>;
  lent?(): readonly GuardedBrowser[];
}

/** Starts a kernel with the tools, and stand-ins for agents and Inbox. */
export async function startTools(
  source: BrowserSource,
  options: TestKernelOptions & {
    cwd?: string;
    beside?: readonly PluginDefinition[];
  } = {},
) {
  const { cwd = "/", beside = [], ...rest } = options;
  const prompts: Prompt[] = [];
  const items = new Map<string, NewInboxItem>();
  const renewed: string[] = [];
  const offers: ToolOffer[] = [];
  /** Errors that the next prompts are refused with. */
  const refusals: Error[] = [];
  const messages = provideFake(AgentMessages, {
    async prompt(input) {
      const refusal = refusals.shift();
      if (refusal) throw refusal;
      prompts.push(input);
      return { taskId: "tsk_1", delivery: "sent" };
    },
    continueTurn: () => Promise.reject(new Error("Nothing is cut off.")),
    async answerDialog() {},
    async describe({ agentId: id }) {
      return id === agentId
        ? { id, name: "Ada", cwd, cli: "practice", state: "open" }
        : null;
    },
  });
  const tools = provideFake(AgentTools, {
    async offer(offer) {
      offers.push(offer);
    },
    async renew({ agentId: id }) {
      renewed.push(id);
    },
  });
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
      const records = await openRecords(ctx);
      for (const route of createRecordRoutes(records)) ctx.route(route);
      const rules = new AgentRules(records.policies, () => new Set([3000]));
      const gantry = {
        ports: new Set([GANTRY_PORT]),
        names: new Set<string>(),
      };
      openTools({
        ctx,
        records,
        rules,
        messages: ctx.wants.messages,
        agentTools: ctx.wants.tools,
        inbox: ctx.wants.inbox,
        judgeUrl: (url, given) => judgeUrl(url, given, gantry),
        open: (id) => source.open(id, () => rules.rulesOf(id)),
        lent: () => source.lent?.() ?? [],
      });
    },
  });
  const kernel = await startTestKernel(
    [messages, tools, inbox, plugin, ...beside],
    rest,
  );
  const sessions = new Set<AbortController>();
  const clients = new Set<Client>();

  /** Starts a session of the agent; `undefined` if it is offered no tools. */
  async function admit(id = agentId) {
    const [offer] = offers;
    if (!offer) throw new Error("Nothing is offered.");
    const ending = new AbortController();
    sessions.add(ending);
    const input = { agentId: id, sessionId: "ses_1" };
    const server = await offer.admit(input, ending.signal);
    return server && { server, end: () => ending.abort() };
  }

  return {
    kernel,
    prompts,
    items,
    renewed,
    refusals,
    admit,
    /** Sets the agent's policy. */
    async allow(body: Partial<Rules> & { ownServers?: boolean }) {
      const path = `/api/browser/policies/${agentId}`;
      const answer = await kernel.api.put(path, body);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    },
    /** An MCP client, connected like the program of an agent's CLI. */
    async connect() {
      const session = await admit();
      if (!session) throw new Error("The agent is offered nothing.");
      const client = await connectClient(session.server);
      clients.add(client);
      return { ...session, client };
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      for (const ending of sessions) ending.abort();
      await kernel.stop();
    },
  };
}
export type ToolsBench = Awaited<ReturnType<typeof startTools>>;

/** Connects to the socket of a session and sends a key. */
export function openSocket(
  { env }: ToolServer,
  line = `${env["GANTRY_BROWSER_KEY"]}\n`,
) {
  const socket = connect(env["GANTRY_BROWSER_SOCKET"] ?? "");
  socket.on("error", () => {});
  socket.write(line);
  return socket;
}

export async function connectClient(server: ToolServer): Promise<Client> {
  const socket = openSocket(server);
  // Each message that does not fit into the socket's buffer adds a listener that waits for it to drain.
  socket.setMaxListeners(0);
  const client = new Client({ name: "test", version: "1.0.0" });
  // The transport is the same at both ends.
  const transport = new StdioServerTransport(socket, socket);
  socket.once("close", () => void transport.close());
  const close = transport.close.bind(transport);
  transport.close = async () => {
    socket.destroy();
    await close();
  };
  await client.connect(transport);
  return client;
}

/** The text of an answer. */
export function textOf(answer: unknown): string {
  const { content } = answer as { content: { type: string; text?: string }[] };
  return content.map(({ text = "" }) => text).join("\n");
}
