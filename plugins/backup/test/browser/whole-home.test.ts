import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  chromiumPath,
  startBrowserStage,
} from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BackupState } from "../../src/contract.ts";
import { pathOf, rows } from "./support/parts.ts";
import { packageFolder } from "./support/stage.ts";

describe.skipIf(chromiumPath === undefined)(
  "a daemon whose whole home is restored from its pages",
  () => {
    const stack = new AsyncDisposableStack();
    let stage: BrowserStage;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "gantry-disk-"));
      stack.defer(() => rm(folder, { recursive: true, force: true }));
      stage = stack.use(
        await startBrowserStage([], {
          package: packageFolder,
          beside: ["../agents"],
          settings: {
            agents: { defaultCli: "practice" },
            backup: { passphraseWork: 10 },
          },
        }),
      );
    });
    afterAll(() => stack.disposeAsync());

    const createAgent = async (name: string) => {
      await stage.kernel.clock.advance(1000);
      const body = { name, cli: "practice" };
      const { status } = await stage.kernel.api.post("/api/agents", body);
      expect(status).toBe(200);
    };
    const agents = async () => {
      const { body } = await stage.kernel.api.get<{
        items: { name: string }[];
      }>("/api/agents");
      return body.items.map(({ name }) => name);
    };
    async function restoreEverything(page: Page): Promise<void> {
      await page.getByRole("button", { name: "Restore everything" }).click();
      const question = page.getByRole("dialog");
      await question.getByRole("textbox").fill("restore");
      await question
        .getByRole("button", { name: "Restore everything" })
        .click();
    }

    // Each goes on where the one before it ended.
    test(
      "a first snapshot is made in a few clicks",
      { tags: "thorough" },
      async () => {
        await createAgent("Shop");
        const { page, leave } = await stage.open("/backup");
        await page.getByLabel("Folder").fill(folder);
        await page
          .getByRole("button", { name: "Save and back up now" })
          .click();
        await page.getByText("Your data is backed up").waitFor();
        await expect.poll(() => rows(page).count()).toBe(1);
        await leave();
      },
    );

    test("a snapshot is proven", { tags: "thorough" }, async () => {
      await stage.kernel.clock.advance(60_000);
      const { page, leave } = await stage.open("/backup");
      await page.getByRole("button", { name: "Back up and prove it" }).click();
      await page.getByText("Snapshot proven").waitFor();
      await rows(page).first().getByText("Proven", { exact: true }).waitFor();
      await leave();
    });

    test(
      "everything is restored, the daemon restarts, and the page shows the result",
      { tags: "thorough" },
      async () => {
        await createAgent("Too many");
        const { page } = await stage.open("/backup/restore");
        const changes = page.getByRole("list", { name: "What changes" });
        await changes
          .getByText("Agents and conversations", { exact: true })
          .waitFor();
        await changes.getByText("1 removed").first().waitFor();
        const replaced = stage.kernel.replaced();
        await restoreEverything(page);
        await replaced;
        await page.getByText(/Everything is as in the snapshot of/).waitFor();
        expect(await agents()).toEqual(["Shop"]);

        // What was there before is a click away.
        await page.getByText("What you had before is in the safety").waitFor();
        await page
          .getByRole("link", { name: "Back to the backup" })
          .last()
          .click();
        await page.getByText(/^Everything restored/).waitFor();
        await page.getByRole("link", { name: "Go back to before" }).click();
        await changes.getByText("1 added").first().waitFor();
        await page.close();
      },
    );

    test(
      "one part is merged into what is there",
      { tags: "thorough" },
      async () => {
        const { body } = await stage.kernel.api.get<{
          items: { id: string }[];
        }>("/api/agents");
        await stage.kernel.api.delete(`/api/agents/${body.items[0]?.id}`);
        await createAgent("Newcomer");
        const { page } = await stage.open("/backup/restore");
        await page.getByRole("radio", { name: /Parts of it/ }).check();
        await page
          .getByRole("checkbox", { name: /^Agents/ })
          .first()
          .check();
        await page
          .getByRole("button", { name: "Restore Agents and conversations" })
          .click();
        const question = page.getByRole("dialog");
        await question.getByRole("button", { name: "Restore" }).click();
        await page.getByText(/Brought back from the snapshot of/).waitFor();
        await expect
          .poll(async () => (await agents()).sort())
          .toEqual(["Newcomer", "Shop", "Too many"]);
        await page.close();
      },
    );

    test(
      "browsers that are not kept have to pair again",
      { tags: "thorough" },
      async () => {
        const { page } = await stage.open("/backup/restore");
        await page.getByText("What would change").waitFor();
        await page
          .getByRole("checkbox", { name: /Keep this browser/ })
          .uncheck();
        const replaced = stage.kernel.replaced();
        await restoreEverything(page);
        await replaced;
        await expect.poll(() => pathOf(page)).toBe("/pair");
        const { status } =
          await stage.kernel.api.get<BackupState>("/api/backup");
        expect(status).toBe(401);
        await page.close();
      },
    );
  },
);
