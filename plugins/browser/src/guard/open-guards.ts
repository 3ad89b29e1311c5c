import type { PluginContext } from "@gantry/plugin";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import { errors } from "../errors.ts";
import type { AgentRules, RefreshRules } from "../fence/agent-rules.ts";
import { readGantryAddress } from "../fence/gantry-address.ts";
import type { Audit } from "../records/audit.ts";
import { openAuditLog } from "./audit-log.ts";
import { createGuard } from "./guard.ts";
import type { Hands } from "./guard-core.ts";
import type { Guard } from "./guard.ts";
import type { Uploads } from "../view/uploads.ts";

/** The guards of all running browsers. */
export interface Guards {
  /** Creates the guard of a browser that has just started. */
  attach(browser: RunningBrowser): Promise<void>;
  /** @throws `BROWSER_GONE` (502) */
  guardOf(browser: RunningBrowser): Guard;
  /** Whether an agent is connected and has a session with a tab. */
  isUsed(tabId: string): boolean;
  /** Judges again what agents have open; call it when a policy has changed. */
  review(): void;
}

/** Dependencies of {@link openGuards}. */
export interface GuardsOptions {
  ctx: Pick<PluginContext, "clock" | "log" | "own" | "origin" | "localOrigin">;
  rulesOf: AgentRules;
  refresh: RefreshRules;
  audit: Audit;
  /** Called when a new target of a browser runs. */
  onRunning(browser: RunningBrowser, targetId: string): void;
  /** Who uses which tab. */
  hands: Hands;
  uploads: Pick<Uploads, "copy">;
}

/** Opens the guards. The calls that they judge are recorded once a second, and when the plugin stops. */
export function openGuards({
  ctx,
  rulesOf,
  refresh,
  audit,
  onRunning,
  hands,
  uploads,
}: GuardsOptions): Guards {
  const guards = new Map<RunningBrowser, Guard>();
  const log = openAuditLog({
    ...{ clock: ctx.clock, log: ctx.log },
    write: (calls) => audit.addAll(calls),
  });
  ctx.own(() => log.flush());
  return {
    async attach(browser) {
      const guard = await createGuard({
        protocol: browser.protocol,
        ...{ rulesOf, refresh },
        gantry: () => readGantryAddress(ctx),
        record: (call) => log.record(call),
        onRunning: (targetId) => onRunning(browser, targetId),
        hands,
        ...(browser.isForeign && {
          copyFiles: (paths) => uploads.copy(browser, paths),
        }),
      });
      guards.set(browser, guard);
      void browser.ended.then(() => guards.delete(browser));
    },
    guardOf(browser) {
      const guard = guards.get(browser);
      if (!guard) throw errors.BROWSER_GONE({});
      return guard;
    },
    isUsed: (tabId) =>
      [...guards.values()].some((guard) => guard.isUsed(tabId)),
    review() {
      for (const guard of guards.values()) guard.review();
    },
  };
}
