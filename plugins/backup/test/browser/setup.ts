import { describe, expect, test } from "vitest";
import { errors } from "../../src/errors.ts";
import { toHistory } from "./support/samples.ts";
import { pathOf, rows } from "./support/parts.ts";
import type { ScriptedStage } from "./support/stage.ts";

export function trySetup(given: () => ScriptedStage): void {
  describe("setting up", () => {
    test(
      "a folder and a button make the first snapshot",
      { tags: "thorough" },
      async () => {
        const { script, open } = given();
        script.reset();
        const { page, leave } = await open("/backup");
        await page.getByLabel("Folder").fill("/mnt/disk/");
        await page
          .getByRole("button", { name: "Save and back up now" })
          .click();
        await page.getByText("Your data is backed up").waitFor();
        await expect.poll(() => rows(page).count()).toBe(1);
        expect(script.calls).toEqual([
          {
            operation: "save",
            body: expect.objectContaining({
              folder: "/mnt/disk",
              everyMinutes: 60,
            }),
          },
          { operation: "now", body: { verify: false } },
        ]);
        expect(script.calls[0]?.body).not.toHaveProperty("passphrase");
        await leave();
      },
    );

    test(
      "what the daemon refuses stands at its field, and nothing is lost",
      { tags: "thorough" },
      async () => {
        const { script, open } = given();
        script.reset();
        script.answerOnce("save", () => {
          throw errors.BACKUP_FOLDER_INVALID({
            folder: "The folder",
            reason: "it cannot be written",
          });
        });
        const { page } = await open("/backup");
        const folder = page.getByLabel("Folder");
        await folder.fill("/mnt/read-only");
        await page
          .getByRole("button", { name: "Save and back up now" })
          .click();
        await page.getByText("it cannot be written").waitFor();
        expect(await folder.getAttribute("aria-invalid")).toBe("true");
        expect(await folder.inputValue()).toBe("/mnt/read-only");
        await folder.fill("/mnt/writable");
        await page
          .getByText("it cannot be written")
          .waitFor({ state: "detached" });
        await folder.press("Enter");
        await page.getByText("Your data is backed up").waitFor();
        await page.close();
      },
    );

    test(
      "a passphrase is asked for twice, and secrets come with it",
      { tags: "thorough" },
      async () => {
        const { script, open } = given();
        script.reset(toHistory(Date.now(), 1));
        const { page, leave } = await open("/backup/settings");
        const secrets = page.getByRole("switch", { name: "Secrets" });
        expect(await secrets.isDisabled()).toBe(true);
        await page.getByRole("switch", { name: "Encrypt snapshots" }).click();
        await secrets.click();
        const first = page.getByRole("textbox", { name: "Passphrase" });
        await first.fill("correct horse");
        await page.getByLabel("Repeat it").fill("correct house");
        const save = page.getByRole("button", { name: "Save" });
        await save.click();
        await page.getByText("This is not the same passphrase.").waitFor();
        await page.getByText("Save the passphrase somewhere else").waitFor();
        // The first field that is wrong gets the focus.
        await expect
          .poll(() =>
            page.evaluate(
              "document.activeElement.getAttribute('aria-invalid')",
            ),
          )
          .toBe("true");
        expect(await first.getAttribute("type")).toBe("password");
        await page.getByRole("button", { name: "Show the passphrase" }).click();
        expect(await first.getAttribute("type")).toBe("text");
        await page.getByLabel("Repeat it").fill("correct horse");
        await page.getByLabel("I've saved it somewhere else").click();
        await save.click();
        await page.getByText("Backup settings saved").waitFor();
        await expect.poll(() => pathOf(page)).toBe("/backup");
        await page.getByText("With a passphrase").waitFor();
        expect(script.calls.at(-1)?.body).toMatchObject({
          passphrase: "correct horse",
          includeSecrets: true,
        });
        await leave();
      },
    );

    test(
      "the schedule and what is kept are said in words",
      { tags: "thorough" },
      async () => {
        const { script, open } = given();
        script.reset(toHistory(Date.now(), 1));
        const { page, leave } = await open("/backup/settings");
        const schedule = page.getByRole("combobox", { name: "Back up" });
        await schedule.click();
        await page.getByRole("option", { name: "Every day" }).click();
        await page
          .getByText(/About 30 snapshots and one more each week/)
          .waitFor();
        await page.getByRole("switch", { name: /Keep one a week/ }).click();
        await page.getByText(/then nothing older|, nothing older/).waitFor();
        await schedule.click();
        await page.getByRole("option", { name: "Another time…" }).click();
        const minutes = page.getByRole("spinbutton", { name: "Minutes" });
        await minutes.fill("10");
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("Enter 15 minutes or more.").waitFor();
        await minutes.fill("45");
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("Every 45 minutes").waitFor();
        expect(script.calls).toMatchObject([
          { body: { everyMinutes: 45, keepsWeekly: false } },
        ]);
        await leave();
      },
    );

    test(
      "backups are turned off after a question, and can be set up again",
      { tags: "thorough" },
      async () => {
        const { script, open } = given();
        script.reset(toHistory(Date.now(), 1));
        const { page, leave } = await open("/backup/settings");
        await page.getByLabel("Keep one a day for").fill("7");
        await page.getByRole("button", { name: "Turn off backups" }).click();
        const question = page.getByRole("dialog");
        await question.getByRole("button", { name: "Turn off" }).click();
        await page.getByText("Keep a copy of everything in Gantry").waitFor();
        expect(script.calls).toEqual([
          { operation: "save", body: { folder: null } },
        ]);
        await leave();
      },
    );

    test(
      "a form that is not saved is not left without a question",
      { tags: "thorough" },
      async () => {
        const { script, open } = given();
        script.reset(toHistory(Date.now(), 1));
        const { page } = await open("/backup/settings");
        await page.getByLabel("Keep one a day for").fill("7");
        await page.getByText("Not saved yet").waitFor();
        await page.getByRole("link", { name: "Back to the backup" }).click();
        const question = page.getByRole("dialog");
        await question.getByRole("button", { name: "Stay" }).click();
        expect(pathOf(page)).toBe("/backup/settings");
        await page.getByRole("button", { name: "Cancel" }).click();
        await question.getByRole("button", { name: "Leave" }).click();
        await page.getByText("Your data is backed up").waitFor();
        expect(script.calls).toEqual([]);
        await page.close();
      },
    );
  });
}
