import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import type { ProfileOwner } from "../chromium/browser-pool.ts";
import { errors } from "../errors.ts";
import type { BrowserTabs } from "../view/browser-tabs.ts";
import type { BrowserViews } from "../view/open-views.ts";
import { tab } from "../view/tab.ts";
import { agentIdInput } from "./inputs.ts";

const tabId = {
  id: { pattern: /^[0-9A-F]{32}$/, missing: errors.BROWSER_TAB_NOT_FOUND },
};

const START_ERRORS = [
  "BROWSER_MISSING",
  "BROWSER_SANDBOX",
  "BROWSER_FAILED",
  "BROWSER_GONE",
  "BROWSER_LIMIT",
];

/** Routes that list, open, close and lend tabs. */
export function createTabRoutes(views: BrowserViews): RouteDefinition[] {
  function find(id: string): BrowserTabs {
    const tabs = views.find(id);
    if (!tabs) throw errors.BROWSER_TAB_NOT_FOUND({ id });
    return tabs;
  }
  return [
    defineRoute({
      method: "GET",
      path: "/api/browser/tabs",
      summary: "The open tabs of all running browsers",
      access: "session",
      returns: z.object({ items: z.array(tab) }),
      handle: () => ({ items: views.all().flatMap((tabs) => tabs.list()) }),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/tabs",
      summary: "Open a tab",
      description:
        "Starts the browser if it does not run: the user's own, or with `agentId` that of an agent, who then uses the tab as well.",
      access: "session",
      body: z.strictObject({
        url: z.string().min(1).max(8_192).optional(),
        agentId: agentIdInput,
      }),
      returns: tab,
      errors: [...START_ERRORS, "BROWSER_TAB_LIMIT", "BROWSER_ADDRESS_INVALID"],
      async handle({ body: { url, agentId }, signal }) {
        const owner: ProfileOwner =
          agentId === null ? { kind: "user" } : { kind: "agent", agentId };
        const browser = await views.pool.open(owner, signal);
        const tabs = views.tabsOf(browser);
        if (!tabs) throw errors.BROWSER_GONE({});
        return tabs.open({ url, ...(agentId !== null && { agentId }) });
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/browser/tabs/{id}",
      summary: "Close a tab",
      access: "session",
      params: tabId,
      returns: okAnswer,
      errors: ["BROWSER_TAB_NOT_FOUND"],
      handle({ params: { id = "" } }) {
        find(id).close(id);
        return { ok: true as const };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/tabs/{id}/lend",
      summary: "Lend a tab to an agent, or take it back",
      access: "session",
      params: tabId,
      body: z.strictObject({ agentId: agentIdInput }),
      returns: tab,
      errors: ["BROWSER_TAB_NOT_FOUND", "BROWSER_REFUSED"],
      handle: ({ params: { id = "" }, body: { agentId } }) =>
        find(id).lend(id, agentId),
    }),
  ];
}
