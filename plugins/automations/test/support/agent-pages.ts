import { definePlugin, defineRoute } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import * as z from "zod";
import type { FakeAgents } from "./fake-agents.ts";

const cli = (name: string, title: string, more: object = {}) => ({
  name,
  title,
  installed: true,
  reason: null,
  isDefault: false,
  capabilities: { model: true, asksFirst: true, cost: "usd" },
  ...more,
});

/** Agents of the user, and one of an automation. */
const AGENTS = [
  {
    id: `agt_${"h".repeat(24)}`,
    name: "Helper",
    cli: "pi",
    cwd: "/home/me/project",
    automationId: null,
  },
  {
    id: `agt_${"o".repeat(24)}`,
    name: "Of an automation",
    cli: "pi",
    cwd: "/home/me/work",
    automationId: `aut_${"a".repeat(24)}`,
  },
];

/** What the pages ask of the agents: their CLIs, the folders that were used before, and to stop. */
export function createAgentPages(agents: FakeAgents): PluginDefinition {
  const answer = (path: string, items: object[]) =>
    defineRoute({
      method: "GET",
      path,
      summary: "For the pages",
      access: "session",
      query: z.strictObject({ limit: z.string().optional() }),
      returns: z.object({ items: z.array(z.looseObject({})) }),
      handle: () => ({ items }) as never,
    });
  return definePlugin({
    id: "agent-pages",
    api: 1,
    summary: "What the pages ask of the agents",
    mounts: ["/api/agents", "/api/workspaces"],
    setup(ctx) {
      ctx.route(
        answer("/api/agents/clis", [
          cli("pi", "pi (a coding agent whose title is rather long)", {
            isDefault: true,
          }),
          cli("opencode", "OpenCode", {
            capabilities: { model: false, asksFirst: false, cost: "none" },
          }),
          cli("codex", "Codex", {
            installed: false,
            reason: "codex is not on the PATH.",
          }),
        ]),
      );
      ctx.route(answer("/api/agents", AGENTS));
      ctx.route(
        defineRoute({
          method: "GET",
          path: "/api/agents/{id}",
          summary: "For the pages",
          access: "session",
          returns: z.looseObject({}),
          handle: ({ params }) =>
            AGENTS.find(({ id }) => id === params["id"]) ?? {},
        }),
      );
      ctx.route(
        answer("/api/workspaces", [
          { id: "w1", name: "project", path: "/home/me/project" },
        ]),
      );
      ctx.route(
        defineRoute({
          method: "POST",
          path: "/api/agents/{id}/abort",
          summary: "Stop the run that is going",
          access: "session",
          body: z.strictObject({}),
          returns: z.object({ aborted: z.boolean() }),
          handle({ params }) {
            const run = agents.runs.findLast(
              ({ input }) => input.agentId === params["id"],
            );
            run?.finish({ failure: "cancelled", message: "Stopped." });
            return { aborted: run !== undefined };
          },
        }),
      );
    },
  });
}
