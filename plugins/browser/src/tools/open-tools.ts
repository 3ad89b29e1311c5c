import { describeError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { AgentDeleted, AgentTools } from "@gantry/plugin-agents/contract";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import { InboxItems } from "@gantry/plugin-inbox/contract";
import type { AgentAccess } from "../fence/agent-access.ts";
import type { Policies } from "../records/policies.ts";
import { createQuestionRoutes } from "../routes/question-routes.ts";
import { CallQueue } from "./call-queue.ts";
import { createOffer } from "./create-offer.ts";
import { createQuestionNotices } from "./question-notices.ts";
import { Questions } from "./questions.ts";
import { serveTools } from "./serve-tools.ts";
import { SessionKeys } from "./session-keys.ts";
import type { KeyedSession } from "./session-keys.ts";
import { ToolSession } from "./tool-session.ts";
import type { ToolsHost } from "./tools-host.ts";
import { openToolsSocket } from "./tools-socket.ts";

type Context = Pick<
  PluginContext,
  | "clock"
  | "emit"
  | "folder"
  | "log"
  | "on"
  | "own"
  | "route"
  | "signal"
  | "store"
  | "whenThere"
>;

/** Dependencies of {@link openTools}. */
export interface ToolsOptions extends Pick<ToolsHost, "judgeUrl" | "open"> {
  ctx: Context;
  access: AgentAccess;
  policies: Policies;
  messages(): AgentMessages | undefined;
  agentTools(): AgentTools | undefined;
  inbox(): InboxItems | undefined;
}

/** Offers the browser to agents, and registers the routes for their questions. */
export function openTools(options: ToolsOptions): void {
  const { ctx, access, policies, messages } = options;
  const keys = new SessionKeys();
  const questions = openQuestions(options);
  const host: ToolsHost = {
    ...options,
    clock: ctx.clock,
    questions,
    async allow(agentId, { site, tier }) {
      const {
        sites = [],
        tier: before = "none",
        ownServers = false,
      } = policies.get(agentId) ?? {};
      await policies.put({
        ...{ agentId, ownServers },
        sites: [...new Set([...sites, ...(site ? [site] : [])])],
        tier: tier ?? before,
      });
    },
  };
  const openSocket = createSocketOpener(ctx, keys, {
    createSession: (agentId, queue) => new ToolSession(agentId, queue, host),
    onToolsMissed: (agentId) => void renew(options, agentId),
    policies,
  });
  const offer = createOffer({ access, keys, openSocket, messages });
  ctx.whenThere(AgentTools, (tools, gone) => tools.offer(offer, gone));
  ctx.own(
    policies.onChange((agentId) => {
      const { tier } = access.rulesOf(agentId);
      if (tier === "none") questions.withdraw(agentId);
      // A session that started without the tools cannot get them later.
      else if (!keys.has(agentId)) void renew(options, agentId);
    }),
  );
  ctx.on(
    AgentDeleted,
    ({ subject: agentId }) => {
      questions.withdraw(agentId);
      access.forget(agentId);
    },
    { durable: "tools" },
  );
}

function openQuestions({ ctx, inbox, messages }: ToolsOptions): Questions {
  const notices = createQuestionNotices({ ...ctx, inbox, messages });
  const questions = new Questions({
    clock: ctx.clock,
    emit: (...events) => ctx.emit(...events),
    notices,
  });
  ctx.whenThere(InboxItems, () => notices.connected());
  ctx.own(() => {
    questions.withdraw();
    return notices.settled();
  });
  for (const route of createQuestionRoutes(questions)) ctx.route(route);
  return questions;
}

/** Creates a function that opens the socket at its first call; after a failure the next call tries again. */
function createSocketOpener(
  ctx: Context,
  keys: SessionKeys,
  {
    createSession,
    onToolsMissed,
    policies,
  }: {
    createSession(agentId: string, queue: CallQueue): ToolSession;
    onToolsMissed(agentId: string): void;
    policies: Pick<Policies, "onChange">;
  },
): () => Promise<string> {
  /** One for all connections with the same key. */
  const queues = new WeakMap<KeyedSession, CallQueue>();
  let opening: Promise<string> | undefined;

  async function open(): Promise<string> {
    const socket = await openToolsSocket({
      folder: await ctx.folder(),
      clock: ctx.clock,
      keys,
      serve(connection, session) {
        const { agentId } = session;
        const queue = queues.get(session) ?? new CallQueue();
        queues.set(session, queue);
        serveTools(connection, createSession(agentId, queue), {
          clock: ctx.clock,
          onToolsChanged: (listener) =>
            policies.onChange((changed) => {
              if (changed === agentId) listener();
            }),
          onToolsMissed: () => onToolsMissed(agentId),
        }).catch((error: unknown) => {
          ctx.log.error("The browser's tools could not be served", {
            reason: describeError(error),
          });
          connection.destroy();
        });
      },
    });
    ctx.own(() => socket.close());
    return socket.path;
  }

  return () =>
    (opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
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
