import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { chromiumPath } from "../support/browser.ts";
import {
  readQuestions,
  startDevServer,
  startOtherServer,
  walkElsewhere,
  walkOwnServer,
  writeBrowserHome,
} from "../support/browser-walk.ts";
import type { WalkStep } from "../support/browser-walk.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const TIMEOUT_MS = 60_000;

describe.skipIf(chromiumPath === undefined)("an agent in the browser", () => {
  test(
    "it uses its own dev server, not Gantry, and asks for what is not listed",
    { timeout: 4 * TIMEOUT_MS },
    async () => {
      await using stack = new AsyncDisposableStack();
      const folder = stack.use(await createTemporaryFolder("browser-tools"));
      const home = join(folder.path, "home");
      const cwd = join(folder.path, "shop");
      await writeBrowserHome(home);
      const own = stack.use(await startDevServer(cwd));
      const other = stack.use(await startOtherServer());

      const daemon = stack.use(await startDaemon(home));
      const api = await createApiClient(daemon);
      const { body: agent } = await api.call<{ id: string }>(
        "POST",
        "/api/agents",
        { name: "Ada", cli: "practice", cwd },
      );
      const said = async () => {
        const path = `/api/agents/${agent.id}/messages`;
        return JSON.stringify((await api.call("GET", path)).body);
      };
      const use = (steps: readonly WalkStep[]) =>
        api.call("POST", `/api/agents/${agent.id}/prompt`, {
          message: steps
            .map(
              ({ tool, input }) => `[[tool:${tool}:${JSON.stringify(input)}]]`,
            )
            .join(" "),
        });
      const within = { timeout: TIMEOUT_MS };

      expect(
        await api.call("PUT", `/api/browser/policies/${agent.id}`, {
          tier: "act",
          ownServers: true,
        }),
      ).toMatchObject({ status: 200 });
      const walk = walkOwnServer(own, daemon);
      await use(walk);
      for (const { says } of walk)
        await expect.poll(said, within).toMatch(says);

      const elsewhere = walkElsewhere(other);
      await use([elsewhere]);
      const site = `localhost:${other.port}`;
      await expect
        .poll(() => readQuestions(api), within)
        .toMatchObject([{ agentId: agent.id, site }]);
      const inbox = async () =>
        JSON.stringify((await api.call("GET", "/api/inbox")).body);
      await expect.poll(inbox, within).toContain(`Ada wants to open ${site}`);
      expect(await said()).not.toMatch(elsewhere.says);
      const [question] = await readQuestions(api);
      expect(
        await api.call("POST", `/api/browser/questions/${question?.id}`, {
          answer: "once",
        }),
      ).toMatchObject({ status: 200 });
      await expect.poll(said, within).toMatch(elsewhere.says);
      await expect
        .poll(
          async () =>
            JSON.stringify(
              (await api.call("GET", "/api/browser/developer/audit")).body,
            ),
          within,
        )
        .toContain("Page.navigate");
      expect(await daemon.stop()).toBe(0);
    },
  );
});
