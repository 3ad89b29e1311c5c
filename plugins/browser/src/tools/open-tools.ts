import { createLazy } from "./create-lazy.ts";
import { describeError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { AgentDeleted, AgentTools } from "@gantry/plugin-agents/contract";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import { InboxItems } from "@gantry/plugin-inbox/contract";
import type { BrowserRecords } from "../records/browser-records.ts";
import { createAnnotationSendingRoutes } from "../routes/annotation-sending-routes.ts";
import { createPolicyRoutes } from "../routes/policy-routes.ts";
import { createQuestionRoutes } from "../routes/question-routes.ts";
import { createOffer } from "./admit.ts";
import type { AgentRules } from "./agent-rules.ts";
import { serveTools } from "./mcp-server.ts";
import { createQuestionNotices } from "./question-notices.ts";
import { Questions } from "./questions.ts";
import { createAnnotationSender, findAgent } from "./send-annotations.ts";
import { SessionKeys } from "./session-keys.ts";
import { ToolSession } from "./tool-session.ts";
import type { ToolsHost } from "./tools-host.ts";
import { openToolsSocket } from "./tools-socket.ts";

/** Dependencies of {@link openTools}. */
export interface ToolsOptions extends Pick<
  ToolsHost,
  "judgeUrl" | "open" | "lent" | "noteUse" | "refreshPorts" | "rules"
> {
  ctx: Pick<
    PluginContext,
    | "clock"
    | "emit"
    | "log"
    | "machineFolder"
    | "on"
    | "own"
    | "route"
    | "signal"
    | "store"
    | "onService"
  >;
  records: Pick<BrowserRecords, "annotations" | "policies">;
  messages(): AgentMessages | undefined;
  agentTools(): AgentTools | undefined;
  inbox(): InboxItems | undefined;
  rules: AgentRules;
}

/** Offers the browser to agents, and registers the routes for the user's decisions. */
export function openTools(options: ToolsOptions): void {
  const { ctx, records, rules, messages } = options;
  const { policies, annotations } = records;
  const keys = new SessionKeys();
  const notices = createQuestionNotices({ ...ctx, ...options });
  const questions = new Questions({
    clock: ctx.clock,
    emit: (...events) => ctx.emit(...events),
    notices,
  });
  ctx.onService(InboxItems, () => notices.connected());
  ctx.own(() => {
    questions.withdraw();
    return notices.settled();
  });

  const host: ToolsHost = {
    ...options,
    clock: ctx.clock,
    questions,
    async allow(agentId, { site, tier }) {
      const policy = policies.get(agentId);
      const sites = new Set([...policy.sites, ...(site ? [site] : [])]);
      await policies.put({
        ...policy,
        sites: [...sites],
        tier: tier ?? policy.tier,
      });
    },
  };
  const openSocket = createLazy(async () => {
    const socket = await openToolsSocket({
      folder: await ctx.machineFolder(),
      clock: ctx.clock,
      keys,
      serve: (connection, { agentId }) =>
        void serveTools(connection, new ToolSession(agentId, host), {
          clock: ctx.clock,
          onToolsChanged: (listener) =>
            policies.onChange((changed) => {
              if (changed.agentId === agentId) listener();
            }),
        }).catch((error: unknown) => {
          ctx.log.error("The browser's tools could not be served", {
            reason: describeError(error),
          });
          connection.destroy();
        }),
    });
    ctx.own(() => socket.close());
    return socket.path;
  });

  const offer = createOffer({ rules, keys, openSocket, messages });
  ctx.onService(AgentTools, (tools, gone) => tools.offer(offer, gone));
  ctx.own(
    policies.onChange(({ agentId, tier }) => {
      if (tier === "none") questions.withdraw(agentId);
      // A session that started without the tools cannot get them later.
      else if (!keys.has(agentId)) void renew(options, agentId);
    }),
  );
  ctx.on(
    AgentDeleted,
    async ({ subject: agentId }) => {
      questions.withdraw(agentId);
      rules.forget(agentId);
      await policies.remove(agentId);
    },
    { durable: "policies" },
  );

  const send = createAnnotationSender({
    annotations,
    messages,
    signal: ctx.signal,
  });
  const checkAgent = (agentId: string) =>
    findAgent({ messages, signal: ctx.signal }, agentId);
  for (const route of [
    ...createPolicyRoutes({ policies, checkAgent }),
    ...createQuestionRoutes(questions),
    ...createAnnotationSendingRoutes(send),
  ])
    ctx.route(route);
}

async function renew(
  { agentTools, ctx }: ToolsOptions,
  agentId: string,
): Promise<void> {
  try {
    await agentTools()?.renew({ agentId }, ctx.signal);
  } catch (error) {
    // The agent gets the tools when it is next opened.
    if (!ctx.signal.aborted)
      ctx.log.warn("An agent's tools could not be renewed", {
        agentId,
        reason: describeError(error),
      });
  }
}
