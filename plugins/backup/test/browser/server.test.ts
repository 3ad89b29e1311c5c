import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import type { BackupState } from "../../src/contract.ts";
import { putRecord, startBackup, withHome } from "../support/backup-bench.ts";
import { createFakeWholeHome } from "../support/fake-whole-home.ts";
import type { FakeWholeHome } from "../support/fake-whole-home.ts";
import { dialog, rows } from "./support/parts.ts";
import { startStageWith } from "./support/stage.ts";

describe.skipIf(chromiumPath === undefined)(
  "the pages on the real server",
  () => {
    const stack = new AsyncDisposableStack();
    // Shared, since starting it takes longer than most tests: each of them has its own folder and records.
    let stage: BrowserStage;
    let home: FakeWholeHome;
    let folder: string;

    beforeAll(async () => {
      home = stack.use(await createFakeWholeHome());
      home.rehearsed = [{ id: "backup", state: "active", reason: null }];
      stage = stack.use(await startStageWith(withHome(home)));
    });
    afterAll(() => stack.disposeAsync());
    beforeEach(async () => {
      const disk = await mkdtemp(join(tmpdir(), "gantry-disk-"));
      stack.defer(() => rm(disk, { recursive: true, force: true }));
      folder = disk;
      home.entries.clear();
      for (const title of ["Review a pull request", "Standup update"])
        putRecord(home, "snippets:snippet", title, { title });
      putRecord(home, "automations:automation", "nightly", { name: "Nightly" });
      await save({ folder: null, passphrase: null });
    });

    const state = async () =>
      (await stage.kernel.api.get<BackupState>("/api/backup")).body;
    async function save(settings: object): Promise<void> {
      const { api } = stage.kernel;
      const { status } = await api.put("/api/backup", settings);
      expect(status).toBe(200);
    }
    /** Chooses a folder, and makes the first snapshot in it. */
    async function backUp(body: object = {}): Promise<void> {
      await save({ folder: join(folder, "copies"), everyMinutes: 43_200 });
      const { api } = stage.kernel;
      const { status } = await api.post("/api/backup/now", body);
      expect(status).toBe(200);
    }

    test("a folder that cannot be used says why; another one makes the first snapshot", async () => {
      const { page } = await stage.open("/backup");
      await page.getByLabel("Folder").fill("/proc/backups");
      await page.getByRole("button", { name: "Save and back up now" }).click();
      await page.getByText(/belongs to the system/).waitFor();
      await page.getByLabel("Folder").fill(join(folder, "copies"));
      await page.getByRole("button", { name: "Save and back up now" }).click();
      await page.getByText("Backed up", { exact: true }).waitFor();
      await page.getByText("Your data is backed up").waitFor();
      await expect.poll(() => rows(page).count()).toBe(1);
      expect((await state()).lastSnapshot).toMatchObject({ records: 3 });
      await page.close();
    });

    test("a snapshot is made and proven", async () => {
      await backUp();
      const { page, leave } = await stage.open("/backup");
      await stage.kernel.clock.advance(60_000);
      await page.getByRole("button", { name: "Back up and prove it" }).click();
      await page.getByText("Snapshot proven").waitFor();
      await expect.poll(() => rows(page).count()).toBe(2);
      await rows(page).first().getByText("Proven", { exact: true }).waitFor();
      await leave();
    });

    test(
      "one part is brought back, by the names that people know",
      { tags: "thorough" },
      async () => {
        await backUp();
        putRecord(home, "snippets:snippet", "Standup update", {
          title: "Broken",
        });
        putRecord(home, "automations:automation", "nightly", {
          name: "Hourly",
        });
        const { page, leave } = await stage.open("/backup/restore");
        await page.getByRole("radio", { name: /Parts of it/ }).check();
        await page.getByRole("checkbox", { name: /^Snippets/ }).check();
        const changes = page.getByRole("list", { name: "What changes" });
        await changes.getByText("1 changed").waitFor();
        await changes.getByText("Show them").click();
        await changes.getByText("Standup update").waitFor();
        await page.getByRole("button", { name: "Restore Snippets" }).click();
        const question = dialog(page, "Restore Snippets?");
        await question.getByRole("button", { name: "Restore" }).click();
        await page.getByText(/Brought back from the snapshot of/).waitFor();
        const texts = [...home.entries.values()].join();
        expect(texts).toContain("Standup update");
        expect(texts).toContain("Hourly");
        expect((await state()).lastRestore).toMatchObject({
          only: ["snippets"],
          failure: null,
        });
        await leave();
      },
    );

    test(
      "snapshots are encrypted from now on, and open with the passphrase",
      { tags: "thorough" },
      async () => {
        await backUp();
        const { page, leave } = await stage.open("/backup/settings");
        await page.getByRole("switch", { name: "Encrypt snapshots" }).click();
        await page
          .getByRole("textbox", { name: "Passphrase" })
          .fill("correct horse battery");
        await page.getByLabel("Repeat it").fill("correct horse battery");
        await page.getByLabel("I've saved it somewhere else").click();
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("With a passphrase").waitFor();
        await stage.kernel.clock.advance(60_000);
        await page.getByRole("button", { name: "Back up now" }).click();
        await rows(page).first().getByLabel("Encrypted").waitFor();
        expect(await state()).toMatchObject({
          isEncrypted: true,
          hasKey: true,
          lastSnapshot: { isEncrypted: true },
        });
        await leave();
      },
    );

    test(
      "a home that shares the folder is shown until another folder is chosen",
      { tags: "thorough" },
      async () => {
        await backUp({ verify: true });
        await using other = await startBackup({ hasFolder: false });
        await other.change({
          folder: join(folder, "copies"),
          everyMinutes: 43_200,
        });
        await other.backUp();
        const { page, leave } = await stage.open("/backup");
        const warning = page.getByText(/also holds snapshots of another home/);
        await warning.waitFor();
        expect(await warning.textContent()).toContain(other.home.folder);
        const ofOther = page.getByText(other.home.folder);
        await rows(page).filter({ has: ofOther }).waitFor();
        await page.getByRole("link", { name: "Choose another folder" }).click();
        await page.getByLabel("Folder").fill(join(folder, "own"));
        await page.getByRole("button", { name: /^Save/ }).click();
        await page.getByText("No snapshot yet").waitFor();
        // What was proven lies in the other folder.
        expect(await page.getByText("Proven by restoring it").count()).toBe(0);
        await warning.waitFor({ state: "detached" });
        await leave();
      },
    );
  },
);
