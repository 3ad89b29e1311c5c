import { definePlugin } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type { RunningBrowser } from "../../../src/chromium/browser-pool.ts";
import { openBrowserPool } from "../../../src/chromium/open-pool.ts";
import { browserConfig } from "../../../src/config.ts";
import { openEgress } from "../../../src/egress/open-egress.ts";
import type { FailedConnection } from "../../../src/egress/open-egress.ts";
import { errors } from "../../../src/errors.ts";
import { readGantryAddress } from "../../../src/fence/gantry-address.ts";
import type { GantryAddress, Rules } from "../../../src/fence/rules.ts";
import { createGuard } from "../../../src/guard/guard.ts";
import type { Guard } from "../../../src/guard/guard.ts";
import type { AuditInput } from "../../../src/records/audit.ts";
import { REAL } from "../../support/start-browsing.ts";
import { connectAgent } from "./connect-agent.ts";
import { startPages } from "./start-pages.ts";
import type { Pages } from "./start-pages.ts";

/** A Chromium behind a guard, with a site. */
export type GuardedBrowser = Awaited<ReturnType<typeof openGuardedBrowser>>;

const HOSTS = ["site.test", "www.site.test", "evil.test"];

/**
 * Starts a Chromium behind a guard, and a site at `site.test`, `www.site.test` and `evil.test`. `rules` apply to all
 * agents, and may be changed at any time.
 *
 * @param options.reachable Sites that the network lets through, whatever the rules are; those of the rules if missing.
 * @param options.gantryPort A port that counts as one of the daemon.
 */
export async function openGuardedBrowser(
  pages: Pages,
  options: { reachable?: readonly string[]; gantryPort?: number } = {},
) {
  const site = await startPages(pages);
  const withPort = (host: string) => `${host}:${site.port}`;
  const rules: Rules = {
    ...{ tier: "full", folder: null },
    sites: [withPort("site.test")],
  };
  const failed: FailedConnection[] = [];
  const audit: AuditInput[] = [];
  let open: (() => Promise<RunningBrowser>) | undefined;
  let guard: Guard | undefined;
  const plugin = definePlugin({
    id: "browser",
    api: 1,
    summary: "A browser behind its guard",
    mounts: ["/api/browser"],
    config: browserConfig,
    errors,
    setup(ctx) {
      const gantry = (): GantryAddress => {
        const { ports, names } = readGantryAddress(ctx);
        const more =
          options.gantryPort === undefined ? [] : [options.gantryPort];
        return { names, ports: new Set([...ports, ...more]) };
      };
      const pool = openBrowserPool({
        ...{ ctx, config: ctx.config },
        openEgress: () =>
          openEgress({
            ...{ owner: "agent", gantry, connect: ctx.connect },
            sites: () => options.reachable?.map(withPort) ?? rules.sites,
            onFailed: (each) => failed.push(each),
          }),
        async onStart({ protocol }) {
          guard = await createGuard({
            ...{ protocol, gantry, rulesOf: () => rules },
            onRunning: () => {},
            record: (entry) => audit.push(entry),
          });
        },
      });
      open = () => pool.open({ kind: "agent", agentId: "agt_1" });
    },
  });
  const kernel = await startTestKernel([plugin], {
    settings: { browser: REAL },
  });
  for (const host of HOSTS) kernel.names.set(host, ["127.0.0.1"]);
  const browser = await open!();
  const { protocol } = browser;
  return {
    ...{ kernel, site, browser, rules, failed, audit },
    guard: guard!,
    /** The address of a page of the site. */
    at: (path: string, host = "site.test") => `http://${withPort(host)}${path}`,
    connect: (agentId = "agt_1") => connectAgent(guard!, agentId),
    /** Opens a tab that belongs to no agent, past the guard. */
    async openUserTab(url: string) {
      const { targetId } = await protocol.send<{ targetId: string }>(
        ...(["Target.createTarget", { url: "about:blank" }] as const),
      );
      const params = { targetId, flatten: true };
      const { sessionId } = await protocol.send<{ sessionId: string }>(
        ...(["Target.attachToTarget", params] as const),
      );
      const loaded = Promise.withResolvers<void>();
      const stop = protocol.onEvent((event) => {
        if (event.sessionId !== sessionId) return;
        if (event.method === "Page.loadEventFired") loaded.resolve();
      });
      await protocol.send("Page.enable", {}, sessionId);
      await protocol.send("Page.navigate", { url }, sessionId);
      await loaded.promise;
      stop();
      const send = <Result>(method: string, more: object = {}) =>
        protocol.send<Result>(method, more, sessionId);
      return { targetId, sessionId, send };
    },
    /** Addresses of all tabs, those unknown to the agent included. */
    async urls(): Promise<string[]> {
      const { targetInfos } = await protocol.send<{
        targetInfos: { type: string; url: string }[];
      }>("Target.getTargets");
      return targetInfos
        .filter(({ type }) => type === "page")
        .map(({ url }) => url);
    },
    /** Closes all tabs of agents and of the user. */
    async closeTabs(): Promise<void> {
      const { targetInfos } = await protocol.send<{
        targetInfos: { type: string; targetId: string }[];
      }>("Target.getTargets");
      for (const { type, targetId } of targetInfos)
        if (type === "page")
          await protocol.send("Target.closeTarget", { targetId });
    },
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await site[Symbol.asyncDispose]();
    },
  };
}
