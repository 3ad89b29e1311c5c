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

(chromiumPath === undefined ? describe.skip : describe)(
  "a record that cannot be read",
  { tags: "thorough" },
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

    /** Changes what is stored of an automation behind the daemon's back, and gives what was there. */
    function damage(id: string, change: string, ...values: string[]): string {
      const database = new DatabaseSync(join(daemon.home, "store.sqlite"));
      const key = `automations:automation:${id}`;
      const { value } = database
        .prepare("SELECT value FROM entries WHERE key = ?")
        .get(key) as { value: string };
      const { changes } = database
        .prepare(`UPDATE entries SET value = ${change} WHERE key = ?`)
        .run(...values, key);
      database.close();
      expect(changes).toBe(1);
      return value;
    }

    test.each([
      ["was cut short", "substr(value, 1, 20)", "it is not JSON"],
      ["does not fit", `json_set(value, '$.data.name', 7)`, "name"],
    ])(
      "because it %s is reported on the page, and everything else keeps working",
      { tags: "thorough" },
      async (_, change, reason) => {
        const [lost, kept] = [await create("Lost"), await create("Kept")];
        await page.goto(`${daemon.url}/automations/${kept}`);
        await page
          .getByText("Connected")
          .first()
          .waitFor({ state: "attached" });
        const whole = damage(lost, change);
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
        // Repaired directly in the database, it is there again. The copy of what was wrong stays until it is deleted.
        damage(lost, "?", whole);
        expect(await api.call("GET", `/api/automations/${lost}`)).toMatchObject(
          { status: 200 },
        );
        const name = `Delete automations:automation:${lost}`;
        await quarantine.getByRole("button", { name }).click();
        await page.getByRole("button", { name: "Delete record" }).click();
        await quarantine
          .getByText(`automations:automation:${lost}`)
          .waitFor({ state: "detached" });
        expect(await api.call("GET", `/api/automations/${lost}`)).toMatchObject(
          { status: 200 },
        );
      },
    );

    test("of a later version is left alone, and asking for it says why", async () => {
      const lost = await create("Later");
      const whole = damage(lost, `json_set(value, '$.v', 99)`);
      expect(await api.call("GET", `/api/automations/${lost}`)).toMatchObject({
        status: 503,
        body: { code: "RECORD_TOO_NEW" },
      });
      await page.goto(`${daemon.url}/settings/security`);
      await page.getByText("written by a later version of Gantry").waitFor();
      damage(lost, "?", whole);
      expect(await api.call("GET", `/api/automations/${lost}`)).toMatchObject({
        status: 200,
      });
    });
  },
);
