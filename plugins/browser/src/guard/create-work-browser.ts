import type { BrowserPool } from "../chromium/browser-pool.ts";
import type { WorkBrowser } from "../contract.ts";
import { errors } from "../errors.ts";
import type { AgentRules } from "../fence/agent-rules.ts";
import { hasTier } from "./judge-call.ts";
import type { Guards } from "./open-guards.ts";

/** Creates the service through which agents reach their browsers. */
export function createWorkBrowser({
  pool,
  guards,
  rulesOf,
}: {
  pool: BrowserPool;
  guards: Guards;
  rulesOf: AgentRules;
}): WorkBrowser {
  return {
    async connect({ agentId, send, signal }) {
      signal.throwIfAborted();
      if (!hasTier(rulesOf(agentId).tier, "read"))
        throw errors.BROWSER_AGENT_REFUSED({ id: agentId });
      const browser = await pool.open({ kind: "agent", agentId });
      signal.throwIfAborted();
      const connection = guards.guardOf(browser).connect(agentId, send);
      const release = browser.hold();
      function close(): void {
        signal.removeEventListener("abort", close);
        connection.close();
        release();
      }
      signal.addEventListener("abort", close);
      void browser.ended.then(release);
      return { post: (message) => connection.post(message), close };
    },
  };
}
