import type { PluginContext } from "@gantry/plugin";
import type { ProfileOwner } from "../chromium/browser-pool.ts";
import { openEgress } from "../fence/egress.ts";
import type { Egress } from "../fence/egress.ts";
import type { GantryAddress, SiteRules } from "../fence/judge-site.ts";
import type { OwnServers } from "../fence/own-servers.ts";
import type { AgentRules } from "../tools/agent-rules.ts";

/** Dependencies of {@link openEgresses}. */
export interface EgressesOptions {
  ctx: Pick<PluginContext, "connect" | "log">;
  rules: AgentRules;
  ownServers: OwnServers;
  gantry(): GantryAddress;
  /** Sites that the user's own browser may open. */
  userRules(): SiteRules;
}

/** Network access of all running browsers. */
export interface Egresses {
  open(owner: ProfileOwner): Promise<Egress>;
  /** Closes connections that the current rules would refuse; call it when a policy has changed. */
  review(): void;
}

/** Opens an egress for each profile, with the rules of its owner. */
export function openEgresses(options: EgressesOptions): Egresses {
  const { ctx, rules, ownServers, gantry, userRules } = options;
  const open = new Set<Egress>();
  return {
    async open(owner) {
      const egress = await openEgress({
        owner: owner.kind,
        gantry,
        connect: ctx.connect,
        ...(owner.kind === "user"
          ? { rules: userRules }
          : {
              rules: () => rules.rulesOf(owner.agentId),
              refreshPorts: () => ownServers.refresh(owner.agentId),
            }),
        onRefused: ({ target, reason }) =>
          ctx.log.debug("A connection of the browser was refused", {
            target,
            reason,
          }),
      });
      open.add(egress);
      return {
        ...egress,
        async close() {
          open.delete(egress);
          await egress.close();
        },
      };
    },
    review() {
      for (const egress of open) egress.review();
    },
  };
}
