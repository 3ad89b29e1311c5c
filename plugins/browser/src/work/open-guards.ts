import type { PluginContext } from "@gantry/plugin";
import type { BrowserPool, RunningBrowser } from "../chromium/browser-pool.ts";
import { errors } from "../errors.ts";
import type { AuditLog } from "../fence/audit.ts";
import { createGuard } from "../fence/guard.ts";
import type { Guard } from "../fence/guard.ts";
import type { GantryAddress } from "../fence/judge-site.ts";
import type { OwnServers } from "../fence/own-servers.ts";
import type { AgentRules } from "../tools/agent-rules.ts";
import type { GuardedBrowser } from "../tools/tools-host.ts";
import type { BrowserViews } from "../view/open-views.ts";

/** Dependencies of {@link openGuards}. */
export interface GuardsOptions {
  ctx: Pick<PluginContext, "clock">;
  pool: BrowserPool;
  views: BrowserViews;
  rules: AgentRules;
  ownServers: OwnServers;
  audit: AuditLog;
  gantry(): GantryAddress;
}

/** The guards of all running browsers, through which agents reach them. */
export interface Guards {
  /** The agent's own browser, started if it does not run. */
  open(agentId: string, signal: AbortSignal): Promise<GuardedBrowser>;
  /** Other browsers in which the agent was lent a tab. */
  lent(agentId: string): readonly GuardedBrowser[];
  /** Judges again what agents have open; call it when a policy has changed. */
  review(): void;
}

/** Creates a guard for each browser that starts, and the views of its tabs. */
export function openGuards(options: GuardsOptions): Guards {
  const { pool, views } = options;
  const guards = new Map<RunningBrowser, Guard>();

  pool.onStart(async (browser) => {
    const guard = await createGuard({
      browser,
      clock: options.ctx.clock,
      rulesOf: (agentId) => options.rules.rulesOf(agentId),
      gantry: options.gantry,
      record: (entry) => options.audit.record(entry),
      userIsDriving: (tabId) => views.userIsDriving(tabId),
      refreshPorts: (agentId) => options.ownServers.refresh(agentId),
    });
    guards.set(browser, guard);
    void browser.ended.then(() => guards.delete(browser));
    await views.start(browser, guard);
  });

  function toGuarded(browser: RunningBrowser, agentId: string): GuardedBrowser {
    const guard = guards.get(browser);
    if (!guard) throw errors.BROWSER_GONE({});
    return {
      connect: (send) => guard.connect({ agentId, send }),
      hold: () => pool.hold(browser),
      ended: browser.ended,
    };
  }

  return {
    open: async (agentId, signal) =>
      toGuarded(await pool.open({ kind: "agent", agentId }, signal), agentId),
    lent: (agentId) =>
      [...guards]
        .filter(
          ([{ owner }, guard]) =>
            owner.kind === "user" && guard.ownTabs(agentId).length > 0,
        )
        .map(([browser]) => toGuarded(browser, agentId)),
    review() {
      for (const guard of guards.values()) guard.review();
    },
  };
}
