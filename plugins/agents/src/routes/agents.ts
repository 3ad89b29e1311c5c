import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import type { PluginParts } from "../plugin-parts.ts";
import {
  agentView,
  toAgentView,
  type AgentRecord,
} from "../records/agent-record.ts";
import {
  agentParameter,
  flagInput,
  folderInput,
  messageInput,
  nameInput,
} from "./inputs.ts";

const settings = {
  cwd: folderInput.nullish(),
  model: flagInput.nullish(),
  thinking: flagInput.nullish(),
  extraPrompt: messageInput.max(100_000).nullish(),
  readOnly: z.boolean().nullish(),
};

const worktreeInput = z.strictObject({
  branch: z.string().min(1).max(200).nullish(),
  setup: messageInput.max(64 * 1024).nullish(),
});

export const WORKTREE_ERRORS = [
  "GIT_BUSY",
  "GIT_FAILED",
  "GIT_MISSING",
  "GIT_OBJECTS_OUTSIDE",
  "GIT_OBJECT_MISSING",
  "GIT_TIMEOUT",
  "GIT_WRITE_FAILED",
  "PROCESS_NOT_STARTED",
  "REVISION_INVALID",
  "WORKTREE_IMPOSSIBLE",
];

/** The agents themselves. */
export function agentRoutes({
  records,
  book,
  cliRecords,
  removal,
  setups,
}: PluginParts): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/agents",
      summary: "All agents",
      access: "session",
      query: pageQuery.extend({
        state: z.enum(["open", "closed"]).optional(),
        cli: z.string().max(40).optional(),
        workspaceId: z.string().max(40).optional(),
        automationId: z.string().max(40).optional(),
        q: z.string().max(200).optional(),
      }),
      returns: pageOf(agentView),
      async handle({ query }) {
        const { limit, cursor, state, cli, workspaceId, automationId, q } =
          query;
        const text = q?.trim().toLowerCase();
        const isNarrowed = [state, cli, workspaceId, automationId, text].some(
          Boolean,
        );
        const fits = (agent: AgentRecord) =>
          (!state || agent.state === state) &&
          (!cli || agent.cli === cli) &&
          (!workspaceId || agent.workspaceId === workspaceId) &&
          (!automationId || agent.automationId === automationId) &&
          (!text || agent.name.toLowerCase().includes(text));
        const page = await records.agents.list({
          limit,
          cursor,
          // To choose among them, more are read at once than are asked for.
          ...(isNarrowed ? { filter: fits } : {}),
        });
        return { ...page, items: page.items.map(toAgentView) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents",
      summary: "Make an agent",
      description:
        "It is closed at first. Without `cwd` it gets a folder of its own; without `cli` the first that is installed. With `worktree` it works in a new working tree of the repository that `cwd` is in, on a new branch; `setup` is a command that is run in it first, and messages wait for its end.",
      access: "session",
      idempotent: true,
      body: z.strictObject({
        name: nameInput,
        cli: z.string().max(40).nullish(),
        ...settings,
        worktree: worktreeInput.nullish(),
      }),
      returns: agentView,
      errors: [
        "AGENT_CLI_UNKNOWN",
        "AGENT_FOLDER_INVALID",
        "FOLDER_SILENT",
        "AGENT_UNSUPPORTED",
        ...WORKTREE_ERRORS,
      ],
      async handle({ body }) {
        const agent = await book.create(body);
        setups.start(agent);
        return toAgentView(agent);
      },
    }),
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}",
      summary: "One agent",
      access: "session",
      params: agentParameter,
      returns: agentView.extend({
        /** The CLI has no record of the conversation, so that the next message begins a new one, without memory of it. */
        isMemoryLost: z.boolean(),
      }),
      errors: ["AGENT_NOT_FOUND"],
      async handle({ params }) {
        const agent = await book.get(params.id);
        const isMemoryLost = await cliRecords.isLost(agent);
        return { ...toAgentView(agent), isMemoryLost };
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/api/agents/{id}",
      summary: "Change an agent",
      description:
        "`null` clears a setting. An agent that is open and at rest is closed for a change of its settings.",
      access: "session",
      params: agentParameter,
      body: z.strictObject({ name: nameInput.optional(), ...settings }),
      returns: agentView,
      errors: [
        "AGENT_NOT_FOUND",
        "AGENT_OPEN",
        "AGENT_FOLDER_INVALID",
        "FOLDER_SILENT",
        "AGENT_UNSUPPORTED",
        "STALE_REVISION",
      ],
      handle: async ({ params, body, ifMatch }) =>
        toAgentView(await book.change(params.id, body, ifMatch)),
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/agents/{id}",
      summary: "Close and forget an agent",
      description:
        "With all that belongs to it; what its turns cost stays counted. Its conversation goes only with `transcript`, and a folder that was made for it only with `workFolder`; a project folder is never deleted.",
      access: "session",
      params: agentParameter,
      body: z.strictObject({
        transcript: z.boolean().default(false),
        workFolder: z.boolean().default(false),
      }),
      returns: okAnswer,
      errors: ["AGENT_NOT_FOUND", "STALE_REVISION"],
      async handle({ params, body, ifMatch }) {
        await removal.remove(params.id, body, ifMatch);
        return { ok: true as const };
      },
    }),
  ];
}
