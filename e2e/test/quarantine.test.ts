import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import {
  chromiumPath,
  launchBrowser,
  openVisitor,
  pairVisitor,
} from "../support/browser.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

describe.skipIf(chromiumPath === undefined)(
  "a record that cannot be read",
  () => {
    let stack: AsyncDisposableStack;
    let daemon: Daemon;
    let api: ApiClient;
    let page: Page;

    beforeAll(async () => {
      stack = new AsyncDisposableStack();
      const folder = stack.use(await createTemporaryFolder("quarantine"));
      daemon = stack.use(await startDaemon(join(folder.path, "home")));
      api = await createApiClient(daemon);
      const browser = stack.use(await launchBrowser());
      const visitor = await openVisitor(browser, daemon, {
        viewport: { width: 1280, height: 900 },
      });
      ({ page } = visitor);
      await pairVisitor(visitor, daemon);
    });
    afterAll(() => stack.disposeAsync());

    async function create(name: string): Promise<string> {
      const { body } = await api.call<{ automation: { id: string } }>(
        "POST",
        "/api/automations",
        { name, cli: "practice", prompt: "Go." },
      );
      return body.automation.id;
    }

    /** Changes what is stored of an automation behind the daemon's back. */
    function damage(id: string, change: string): void {
      const database = new DatabaseSync(join(daemon.home, "store.sqlite"));
      const { changes } = database
        .prepare(`UPDATE entries SET value = ${change} WHERE key LIKE ?`)
        .run(`automations:automation:${id}`);
      database.close();
      expect(changes).toBe(1);
    }

    test.each([
      [
        "was cut short",
        "substr(value, 1, 20)",
        "it is not a record of this store",
      ],
      [
        "is of a later version",
        `json_set(value, '$.v', 99)`,
        "it was written by a later version (99)",
      ],
      ["does not fit", `json_set(value, '$.data.name', 7)`, "name"],
    ])(
      "because it %s is told of on the page, and everything else goes on",
      async (_, change, reason) => {
        const [lost, kept] = [await create("Lost"), await create("Kept")];
        await page.goto(`${daemon.url}/automations/${kept}`);
        await page
          .getByText("Connected")
          .first()
          .waitFor({ state: "attached" });
        damage(lost, change);
        expect(await api.call("GET", `/api/automations/${lost}`)).toMatchObject(
          { status: 404 },
        );
        await page
          .getByText('A record of "automations" could not be read', {
            exact: true,
          })
          .first()
          .waitFor();
        expect(await api.call("GET", `/api/automations/${kept}`)).toMatchObject(
          { status: 200 },
        );
        await page.goto(`${daemon.url}/inbox`);
        await page
          .getByText('A record of "automations" could not be read')
          .first()
          .waitFor();
        await page.goto(`${daemon.url}/settings/security`);
        const quarantine = page.getByRole("region", { name: "Quarantine" });
        await quarantine.getByText(`automations:automation:${lost}`).waitFor();
        await quarantine.getByText(reason).first().waitFor();
      },
    );
  },
);
