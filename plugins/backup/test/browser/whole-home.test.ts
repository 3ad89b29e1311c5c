import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  chromiumPath,
  startBrowserStage,
} from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import type { Page } from "playwright-core";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import type { BackupState } from "../../src/contract.ts";
import { pathOf, rows } from "./support/parts.ts";
import { packageFolder } from "./support/stage.ts";

describe.skipIf(chromiumPath === undefined)(
  "a daemon whose whole home is restored from its pages",
  () => {
    const stack = new AsyncDisposableStack();
    // Shared, since starting it takes longer than most tests: each of them has its own folder and agents.
    let stage: BrowserStage;
    let folder: string;

    const startStage = () =>
      startBrowserStage([], {
        package: packageFolder,
        beside: ["../agents"],
        settings: {
          agents: { defaultCli: "practice" },
          backup: { passphraseWork: 10 },
        },
      });
    beforeAll(async () => {
      stage = stack.use(await startStage());
    });
    afterAll(() => stack.disposeAsync());
    beforeEach(async () => {
      const disk = await mkdtemp(join(tmpdir(), "gantry-disk-"));
      stack.defer(() => rm(disk, { recursive: true, force: true }));
      folder = disk;
      const { api } = stage.kernel;
      await api.put("/api/backup", { folder: null });
      for (const { id } of await agents())
        await api.delete(`/api/agents/${id}`);
    });

    const createAgent = async (name: string) => {
      await stage.kernel.clock.advance(1000);
      const body = { name, cli: "practice" };
      const { status } = await stage.kernel.api.post("/api/agents", body);
      expect(status).toBe(200);
    };
    const agents = async () => {
      const { body } = await stage.kernel.api.get<{
        items: { id: string; name: string }[];
      }>("/api/agents");
      return body.items;
    };
    const names = async () => (await agents()).map(({ name }) => name);
    /** Chooses a folder, and makes the first snapshot in it. */
    async function backUp({ kernel: { api, clock } }: BrowserStage) {
      await api.put("/api/backup", { folder, everyMinutes: 43_200 });
      const { status } = await api.post("/api/backup/now", {});
      expect(status).toBe(200);
      await clock.advance(60_000);
    }
    async function restoreEverything(page: Page): Promise<void> {
      await page.getByRole("button", { name: "Restore everything" }).click();
      const question = page.getByRole("dialog");
      await question.getByRole("textbox").fill("restore");
      await question
        .getByRole("button", { name: "Restore everything" })
        .click();
    }

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
      await backUp(stage);
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
        await createAgent("Shop");
        await backUp(stage);
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
        expect(await names()).toEqual(["Shop"]);

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
        await createAgent("Shop");
        await backUp(stage);
        const [shop] = await agents();
        await stage.kernel.api.delete(`/api/agents/${shop?.id}`);
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
          .poll(async () => (await names()).sort())
          .toEqual(["Newcomer", "Shop"]);
        await page.close();
      },
    );

    test(
      "browsers that are not kept have to pair again",
      { tags: "thorough" },
      async () => {
        // A stage of its own, since no browser is paired with it afterwards.
        await using own = await startStage();
        await backUp(own);
        const { page } = await own.open("/backup/restore");
        await page.getByText("What would change").waitFor();
        await page
          .getByRole("checkbox", { name: /Keep this browser/ })
          .uncheck();
        const replaced = own.kernel.replaced();
        await restoreEverything(page);
        await replaced;
        await expect.poll(() => pathOf(page)).toBe("/pair");
        const { status } = await own.kernel.api.get<BackupState>("/api/backup");
        expect(status).toBe(401);
        await page.close();
      },
    );
  },
);
