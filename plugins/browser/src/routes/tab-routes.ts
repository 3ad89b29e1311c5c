import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import type { BrowserPool } from "../chromium/browser-pool.ts";
import { errors } from "../errors.ts";
import type { Tabs } from "../tabs/open-tabs.ts";
import { tab } from "../tabs/schemas.ts";
import { checkAgent } from "./check-agent.ts";
import { agentIdInput, urlInput } from "./inputs.ts";

/** Dependencies of {@link createTabRoutes}. */
export interface TabRoutesOptions {
  pool: BrowserPool;
  tabs: Tabs;
  messages(): AgentMessages | undefined;
}

/** Routes that list, open and close tabs. */
export function createTabRoutes({
  pool,
  tabs,
  messages,
}: TabRoutesOptions): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/browser/tabs",
      summary: "The open tabs of all running browsers",
      access: "session",
      returns: z.object({ items: z.array(tab) }),
      handle: async () => ({ items: await tabs.list() }),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/tabs",
      summary: "Open a tab",
      description:
        "Starts the browser if it does not run: the user's own, or with `agentId` that of the agent. Pages reach this machine and private networks only at the host and port of an address that was opened here, and never Gantry itself.",
      access: "session",
      body: z.strictObject({
        url: urlInput,
        agentId: agentIdInput.nullable().default(null),
      }),
      returns: tab,
      errors: [
        "BROWSER_AGENT_NOT_FOUND",
        "BROWSER_AGENTS_MISSING",
        "BROWSER_FAILED",
        "BROWSER_GONE",
        "BROWSER_LIMIT",
        "BROWSER_MISSING",
        "BROWSER_SANDBOX",
        "BROWSER_TAB_LIMIT",
      ],
      async handle({ body: { url, agentId }, signal }) {
        if (agentId !== null) await checkAgent(messages(), agentId, signal);
        const browser = await pool.open(
          agentId === null ? { kind: "user" } : { kind: "agent", agentId },
        );
        const release = browser.hold();
        try {
          return await tabs.open(browser, url);
        } finally {
          release();
        }
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/browser/tabs/{id}",
      summary: "Close a tab",
      access: "session",
      params: {
        id: {
          pattern: /^[0-9A-F]{32}$/,
          missing: errors.BROWSER_TAB_NOT_FOUND,
        },
      },
      returns: okAnswer,
      errors: ["BROWSER_TAB_NOT_FOUND"],
      handle({ params: { id = "" } }) {
        tabs.close(id);
        return { ok: true as const };
      },
    }),
  ];
}
