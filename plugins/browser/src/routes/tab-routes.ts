import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import type { BrowserPool, ProfileOwner } from "../chromium/browser-pool.ts";
import type { Networks } from "../egress/open-networks.ts";
import { errors } from "../errors.ts";
import type { Guards } from "../guard/open-guards.ts";
import type { Tabs } from "../tabs/open-tabs.ts";
import { tab } from "../tabs/schemas.ts";
import { checkAgent } from "./check-agent.ts";
import { agentIdInput, urlInput } from "./inputs.ts";

/** The path parameter that names a tab. */
export const tabId = {
  pattern: /^[0-9A-F]{32}$/,
  missing: errors.BROWSER_TAB_NOT_FOUND,
};

/** Dependencies of {@link createTabRoutes}. */
export interface TabRoutesOptions {
  pool: BrowserPool;
  tabs: Tabs;
  guards: Pick<Guards, "guardOf">;
  networks: Pick<Networks, "judgeOpened">;
  messages(): AgentMessages | undefined;
}

/** Routes that list, open and close tabs. */
export function createTabRoutes({
  pool,
  tabs,
  guards,
  networks,
  messages,
}: TabRoutesOptions): RouteDefinition[] {
  async function judge(owner: ProfileOwner, url: string): Promise<void> {
    const refusal = await networks.judgeOpened(owner, url);
    if (refusal === null) return;
    throw errors.BROWSER_REFUSED({
      reason:
        owner.kind === "user"
          ? refusal
          : `${refusal}; PUT /api/browser/policies/${owner.agentId} sets the sites of this agent`,
    });
  }

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
        "Starts the browser if it does not run: the user's own, or with `agentId` that of the agent, who may then use the tab. Pages of the user's browser reach this machine and private networks only at the host and port of an address that was opened here; pages of an agent's browser reach only the sites of its policy. Gantry itself is never reached.",
      access: "session",
      body: z.strictObject({
        url: urlInput,
        agentId: agentIdInput.nullable().default(null),
      }),
      returns: tab,
      errors: [
        "BROWSER_AGENT_NOT_FOUND",
        "BROWSER_AGENTS_MISSING",
        "BROWSER_DISK_FULL",
        "BROWSER_FAILED",
        "BROWSER_GONE",
        "BROWSER_LIMIT",
        "BROWSER_MISSING",
        "BROWSER_PROFILE_IN_USE",
        "BROWSER_REFUSED",
        "BROWSER_SANDBOX",
        "BROWSER_TAB_LIMIT",
        "BROWSER_UNRESPONSIVE",
      ],
      async handle({ body: { url, agentId }, signal }) {
        if (agentId !== null) await checkAgent(messages(), agentId, signal);
        const owner: ProfileOwner =
          agentId === null ? { kind: "user" } : { kind: "agent", agentId };
        await judge(owner, url);
        const browser = await pool.open(owner);
        const release = browser.hold();
        try {
          const opened = await tabs.open(browser, url);
          if (agentId !== null)
            guards.guardOf(browser).give(opened.id, agentId);
          return opened;
        } finally {
          release();
        }
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/tabs/{id}/navigate",
      summary: "Open an address in a tab",
      description:
        "The address is judged as that of a new tab. The answer is the tab as it was; the page loads afterwards.",
      access: "session",
      params: { id: tabId },
      body: z.strictObject({ url: urlInput }),
      returns: tab,
      errors: ["BROWSER_REFUSED", "BROWSER_TAB_NOT_FOUND"],
      async handle({ params: { id }, body: { url } }) {
        const found = tabs.find(id);
        if (!found) throw errors.BROWSER_TAB_NOT_FOUND({ id });
        await judge(found.browser.owner, url);
        return await tabs.navigate(id, url);
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/browser/tabs/{id}",
      summary: "Close a tab",
      access: "session",
      params: { id: tabId },
      returns: okAnswer,
      errors: ["BROWSER_TAB_NOT_FOUND"],
      handle({ params: { id } }) {
        tabs.close(id);
        return { ok: true as const };
      },
    }),
  ];
}
