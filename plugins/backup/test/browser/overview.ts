import { describe, expect, test } from "vitest";
import { errors } from "../../src/errors.ts";
import { toHistory, toSnapshot } from "./support/samples.ts";
import { choose, dialog, pathOf, row, rows } from "./support/parts.ts";
import type { ScriptedStage } from "./support/stage.ts";

const MINUTE_MS = 60_000;

export function tryOverview(given: () => ScriptedStage): void {
  const job = (doneBytes: number) =>
    ({
      kind: "snapshot",
      snapshotId: null,
      step: "writing",
      startedAt: new Date(given().kernel.clock.now()).toISOString(),
      doneBytes,
      totalBytes: 1_000_000_000,
    }) as const;

  describe("the overview", () => {
    test(
      "follows a job by its events, also after a reload, until it is over",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        script.reset(toHistory(kernel.clock.now(), 3));
        const { page, leave } = await open("/backup");
        const progress = page.getByRole("progressbar", { name: "Backing up" });
        const percent = () => progress.getAttribute("aria-valuenow");
        await row(page, "snap_aaaaaaaaaaaaaaaaaaaaaaaa").waitFor();
        await script.progress(job(250_000_000));
        await expect.poll(percent).toBe("25");
        await page.getByText("25 % · 250 MB of 1 GB").waitFor();
        await page.reload();
        await expect.poll(percent).toBe("25");
        await script.progress(job(600_000_000));
        await expect.poll(percent).toBe("60");
        const button = page.getByRole("button", { name: "Back up now" });
        expect(await button.isDisabled()).toBe(true);
        await script.progress(null);
        // Without an event of its end it is asked for.
        await progress.waitFor({ state: "detached" });
        expect(await button.isDisabled()).toBe(false);
        await leave();
      },
    );

    test(
      "backs up, proves, and says how it went",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        script.reset(toHistory(kernel.clock.now(), 0).slice(3));
        const { page, leave } = await open("/backup");
        await page.getByText("Not proven yet").waitFor();
        await page
          .getByRole("button", { name: "Back up and prove it" })
          .click();
        await page.getByText("Snapshot proven").waitFor();
        await page
          .getByText(/Gantry started on the copy with 7 plugins/)
          .waitFor();
        await page.getByText("Proven by restoring it").waitFor();
        await page.getByRole("button", { name: "Back up now" }).click();
        await page.getByText("Backed up", { exact: true }).waitFor();
        expect(script.calls.map(({ body }) => body)).toEqual([
          { verify: true },
          { verify: false },
        ]);
        await expect.poll(() => rows(page).count()).toBe(23);
        await leave();
      },
    );

    test(
      "says what is wrong, with the page on which it can be put right",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        script.reset(toHistory(kernel.clock.now(), 1));
        await script.change({
          problem: {
            code: "BACKUP_DISK_FULL",
            message: "There is no room left; 3 MB more are needed.",
            at: new Date(kernel.clock.now()).toISOString(),
          },
        });
        const { page } = await open("/backup");
        await page.getByText("The backup disk is full").waitFor();
        await page.getByText("3 MB more are needed").waitFor();
        script.answerOnce("now", () => {
          throw errors.BACKUP_BUSY({ kind: "restore", since: "14:05" });
        });
        await page.getByRole("button", { name: "Back up now" }).click();
        await page.getByText(/A restore is at work since 14:05/).waitFor();
        await page.getByRole("link", { name: "Keep fewer snapshots" }).click();
        await page.getByLabel("Keep one a day for").waitFor();
        expect(new URL(page.url()).hash).toBe("#keep");
        await page.close();
      },
    );

    test(
      "deletes a snapshot after a question, and the newest good one after two",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const [newest, older] = toHistory(kernel.clock.now(), 0);
        script.reset([newest!, older!]);
        const { page } = await open("/backup");
        const question = page.getByRole("dialog");
        await choose(page, older!.id, "Delete");
        await question.getByRole("button", { name: "Cancel" }).click();
        await expect.poll(() => rows(page).count()).toBe(2);
        await choose(page, older!.id, "Delete");
        await question.getByRole("button", { name: "Delete" }).click();
        await row(page, older!.id).waitFor({ state: "detached" });

        await choose(page, newest!.id, "Delete");
        await question.getByRole("button", { name: "Delete" }).click();
        const second = dialog(page, "Delete your newest good snapshot?");
        const all = second.getByRole("button", { name: /all the same/ });
        await all.waitFor();
        expect(await all.isDisabled()).toBe(true);
        await second.getByRole("textbox").fill("delete");
        await all.click();
        await page.getByText("No snapshots yet").waitFor();
        expect(script.calls.map(({ body }) => body)).toEqual([
          { id: older!.id, confirm: false },
          { id: newest!.id, confirm: false },
          { id: newest!.id, confirm: true },
        ]);
        await page.close();
      },
    );

    test(
      "proves a snapshot of another machine with its passphrase",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const [one] = toHistory(kernel.clock.now(), 0);
        const locked = { ...one!, isEncrypted: true, verifiedAt: null };
        script.reset([locked]);
        const { page } = await open("/backup");
        await row(page, locked.id).getByLabel("Encrypted").waitFor();
        const { id } = locked;
        script.answerOnce("now", () => {
          throw errors.BACKUP_PASSPHRASE_MISSING({ id });
        });
        await choose(page, id, "Prove it");
        const asked = dialog(page, "Passphrase of the snapshot");
        script.answerOnce("now", () => {
          throw errors.BACKUP_PASSPHRASE_WRONG({ id });
        });
        await asked.getByLabel("Passphrase").fill("wrong one");
        await asked.getByRole("button", { name: "Prove it" }).click();
        await asked.getByText("This passphrase does not open it.").waitFor();
        await asked.getByLabel("Passphrase").fill("right one");
        await page.keyboard.press("Enter");
        await asked.waitFor({ state: "detached" });
        await row(page, id).getByText("Proven", { exact: true }).waitFor();
        expect(script.calls.at(-1)?.body).toEqual({
          verify: true,
          id,
          passphrase: "right one",
        });
        await page.close();
      },
    );

    test(
      "says where a snapshot is if there is no file manager",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const [one] = toHistory(kernel.clock.now(), 0);
        script.reset([one!]);
        const { page, leave } = await open("/backup");
        await choose(page, one!.id, "Show in file manager");
        await page.getByText("There is no file manager to open it").waitFor();
        await page.getByText(one!.path).waitFor();
        await leave();
      },
    );

    test("shows 500 snapshots page by page", { tags: "thorough" }, async () => {
      const { script, kernel, open } = given();
      const start = kernel.clock.now();
      script.reset(
        Array.from({ length: 500 }, (_, index) =>
          toSnapshot(
            { createdAt: new Date(start - index * MINUTE_MS).toISOString() },
            index,
          ),
        ),
      );
      const { page, leave } = await open("/backup");
      await expect.poll(() => rows(page).count()).toBe(50);
      await page.getByText("500 snapshots").waitFor();
      await page.getByRole("button", { name: "Show more" }).click();
      await expect.poll(() => rows(page).count()).toBe(100);
      // What is shown stays when another one comes.
      await page.getByRole("button", { name: "Back up now" }).click();
      await page.getByText("501 snapshots").waitFor();
      await expect.poll(() => rows(page).count()).toBe(100);
      await leave();
    });

    test(
      "a daemon that does not answer is reported, with a way to try again",
      { tags: "thorough" },
      async () => {
        const { script, open } = given();
        script.reset(toHistory(Date.now(), 0));
        const { page } = await open("/settings/about");
        await page.getByRole("link", { name: "Backup" }).waitFor();
        await page.route("**/api/backup", (route) => route.abort());
        await page.evaluate("caches.keys()");
        await page.reload();
        await page.getByRole("link", { name: "Backup" }).click();
        await page.getByText("The state of the backup could not").waitFor();
        await page.unroute("**/api/backup");
        await page.getByRole("button", { name: "Try again" }).click();
        await page.getByText("Your data is backed up").waitFor();
        await page.close();
      },
    );

    test(
      "is reached by keys and by the palette",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        script.reset(toHistory(kernel.clock.now(), 0).slice(0, 2));
        const { page, leave } = await open("/");
        await page.getByText("Your data is backed up").waitFor();
        // One within a second after the other, which a busy machine may take several tries for.
        await expect
          .poll(async () => {
            await page.keyboard.press("g");
            await page.keyboard.press("b");
            return pathOf(page);
          })
          .toBe("/backup");
        const command = async (words: string, label: string) => {
          await page.keyboard.press("Control+k");
          const palette = page.getByRole("dialog");
          await palette.waitFor();
          await page.keyboard.type(words);
          await palette.getByRole("option", { name: label }).click();
          await palette.waitFor({ state: "detached" });
        };
        await command("passphrase", "Backup settings");
        await expect.poll(() => pathOf(page)).toBe("/backup/settings");
        await command("recover", "Restore from a snapshot");
        await expect.poll(() => pathOf(page)).toBe("/backup/restore");
        await command("back up now", "Back up now");
        await expect.poll(() => pathOf(page)).toBe("/backup");
        await page.getByText("Backed up", { exact: true }).waitFor();
        await expect.poll(() => rows(page).count()).toBe(3);
        await leave();
      },
    );
  });

  describe("the home page", () => {
    test(
      "asks once the card is seen, and follows what changes",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        script.reset();
        const { page, asked, leave } = await open("/settings/about");
        await page.setViewportSize({ width: 1280, height: 100 });
        await page.getByRole("link", { name: "Home" }).first().click();
        const card = page.getByRole("region", { name: "Backup" });
        await card.waitFor();
        const requests = () => asked.filter((path) => path.includes("/backup"));
        expect(requests().filter((path) => path.startsWith("/api"))).toEqual(
          [],
        );
        await page.setViewportSize({ width: 1280, height: 800 });
        await card.getByText("Nothing is backed up yet.").waitFor();
        expect(requests().filter((path) => path.startsWith("/api"))).toEqual([
          "/api/backup",
        ]);

        const history = toHistory(kernel.clock.now(), 0);
        script.reset(history);
        await script.change({ lastVerifiedAt: history[0]!.verifiedAt });
        await card.getByText("Your data is backed up").waitFor();
        await card.getByText("proven by restoring").waitFor();
        await script.progress(job(250_000_000));
        await card.getByText("Backing up, 25 %").waitFor();
        await script.progress(null);
        await card.getByText("Backing up").waitFor({ state: "detached" });
        await card.getByRole("link", { name: "Backup" }).click();
        await expect.poll(() => pathOf(page)).toBe("/backup");
        await leave();
      },
    );
  });
}
