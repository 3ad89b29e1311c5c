import { definePlugin } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type {
  ProfileOwner,
  RunningBrowser,
} from "../../../src/chromium/browser-pool.ts";
import { openBrowserPool } from "../../../src/chromium/open-pool.ts";
import { browserConfig } from "../../../src/config.ts";
import { errors } from "../../../src/errors.ts";
import { openEgress } from "../../../src/fence/egress.ts";
import type { EgressEntry } from "../../../src/fence/egress.ts";
import { createGuard } from "../../../src/fence/guard.ts";
import type { Guard, LeftTab } from "../../../src/fence/guard.ts";
import type { Rules } from "../../../src/fence/policy.ts";
import { testSettings } from "../../support/start-pool.ts";
import { connectAgent } from "./agent-driver.ts";
import { openFakeInternet } from "./fake-internet.ts";
import type { Pages } from "./fake-internet.ts";

export const SITES = ["site.test", "*.site.test"];

/** A Chromium behind the guard and the egress, on the tests' network. */
export type FencedBrowser = Awaited<ReturnType<typeof openFencedBrowser>>;

/** Starts a Chromium behind the guard and the egress. `rules` may be changed at any time and apply to all agents. */
export async function openFencedBrowser(
  pagesAt: (gantryPort: number) => Pages,
  owner: ProfileOwner = { kind: "agent", agentId: "agt_1" },
) {
  const internet = await openFakeInternet(pagesAt);
  const rules: Rules = {
    tier: "full",
    sites: SITES,
    localPorts: new Set(),
    folder: null,
  };
  const refused: EgressEntry[] = [];
  const audit: { method: string; verdict: string; reason: string | null }[] =
    [];
  const left: LeftTab[] = [];
  const driving = new Set<string>();
  const gantryPorts = new Set([internet.gantryPort]);
  const gantry = () => ({ ports: gantryPorts, names: new Set<string>() });
  let open: (() => Promise<RunningBrowser>) | undefined;
  const plugin = definePlugin({
    id: "browser",
    api: 1,
    summary: "A browser behind its fences",
    mounts: ["/api/browser"],
    config: browserConfig,
    errors,
    setup(ctx) {
      const pool = openBrowserPool({
        ctx,
        config: ctx.config,
        machineFolder: () => ctx.folder(),
        openEgress: () =>
          openEgress({
            owner: owner.kind,
            // The user's own browser reaches all sites, regardless of the agent that a tab is lent to.
            rules: () =>
              owner.kind === "user"
                ? { sites: ["*"], localPorts: "all" }
                : rules,
            gantry,
            connect: (target) => internet.connect(target),
            onRefused: (entry) => refused.push(entry),
          }),
      });
      open = () => pool.open(owner);
    },
  });
  const kernel = await startTestKernel([plugin], {
    settings: { browser: testSettings },
  });
  const browser = await open!();
  const guard: Guard = await createGuard({
    browser,
    clock: kernel.clock,
    rulesOf: () => rules,
    gantry,
    record: (entry) => audit.push(entry),
    userIsDriving: (targetId) => driving.has(targetId),
  });
  guard.onLeft((tab) => left.push(tab));
  return {
    ...{ kernel, internet, browser, guard, rules, refused, audit, left },
    ...{ driving, gantryPorts },
    connect: (agentId = "agt_1") => connectAgent(guard, agentId),
    /** Opens a tab that belongs to no agent, controlled past the guard. */
    async openUserTab(url: string) {
      const { protocol } = browser;
      const { targetId } = await protocol.send<{ targetId: string }>(
        "Target.createTarget",
        {
          url: "about:blank",
          newWindow: true,
        },
      );
      const { sessionId } = await protocol.send<{ sessionId: string }>(
        "Target.attachToTarget",
        {
          targetId,
          flatten: true,
        },
      );
      const send = <Result>(method: string, params: object = {}) =>
        protocol.send<Result>(method, params, sessionId);
      await send("Page.enable");
      const go = async (to: string) => {
        const loaded = Promise.withResolvers<void>();
        const stop = protocol.onEvent((event) => {
          if (
            event.sessionId === sessionId &&
            event.method === "Page.loadEventFired"
          )
            loaded.resolve();
        });
        await send("Page.navigate", { url: to });
        await loaded.promise;
        stop();
      };
      await go(url);
      return {
        ...{ targetId, sessionId, send, go },
        async evaluate(expression: string): Promise<unknown> {
          const { result } = await send<{ result: { value?: unknown } }>(
            "Runtime.evaluate",
            {
              ...{
                expression,
                returnByValue: true,
                awaitPromise: true,
                userGesture: true,
              },
            },
          );
          return result.value;
        },
      };
    },
    /** Addresses of all pages of the browser, including those unknown to the guard. */
    async urls(): Promise<string[]> {
      const { targetInfos } = await browser.protocol.send<{
        targetInfos: { type: string; url: string }[];
      }>("Target.getTargets");
      return targetInfos
        .filter(({ type }) => type === "page")
        .map(({ url }) => url);
    },
    async close() {
      await kernel.stop();
      await internet.close();
    },
  };
}
