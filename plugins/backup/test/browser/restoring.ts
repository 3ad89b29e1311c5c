import type { Request } from "playwright-core";
import { describe, expect, test } from "vitest";
import { RestoreEnded } from "../../src/contract.ts";
import { errors } from "../../src/errors.ts";
import { toHistory, toSnapshot } from "./support/samples.ts";
import { dialog } from "./support/parts.ts";
import type { ScriptedStage } from "./support/stage.ts";

export function tryRestoring(given: () => ScriptedStage): void {
  describe("restoring", () => {
    test(
      "parts: what would change is shown before, and what was done after",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const history = toHistory(kernel.clock.now(), 0);
        script.reset(history);
        const { id } = history[2]!;
        const { page, leave } = await open(`/backup/restore/${id}`);
        await page.getByRole("radio", { name: /Parts of it/ }).check();
        await page.getByText("Choose the parts to restore.").waitFor();
        const button = page.getByRole("button", { name: /^Restore/ });
        expect(await button.isDisabled()).toBe(true);
        await page.getByRole("checkbox", { name: /^Snippets/ }).check();
        const changes = page.getByRole("list", { name: "What changes" });
        await changes.getByText("3 added").waitFor();
        await changes.getByText("Show the first 2").click();
        await changes.getByText("Review a pull request").waitFor();
        expect(await page.getByText("Keep this browser paired").count()).toBe(
          0,
        );

        await button.click();
        const question = dialog(page, "Restore Snippets?");
        await question.getByRole("button", { name: "Restore" }).click();
        await page
          .getByText(/Brought back from the snapshot of .*: Snippets/)
          .waitFor();
        await page.getByText("What you had before is in the safety").waitFor();
        expect(
          script.calls.filter(({ operation }) => operation === "restore"),
        ).toEqual([
          {
            operation: "restore",
            body: {
              id,
              only: ["snippets"],
              keepsSessions: true,
              preview: false,
            },
          },
        ]);
        await page
          .getByRole("link", { name: "Back to the backup" })
          .last()
          .click();
        await page.getByText(/Snippets restored/).waitFor();
        await page.getByRole("link", { name: "Go back to before" }).click();
        await page.getByRole("button", { name: /Before a restore/ }).waitFor();
        await leave();
      },
    );

    test(
      "what would change is shown for the current choice alone, however late an answer is",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const [one] = toHistory(kernel.clock.now(), 0);
        script.reset([one!]);
        const held = Promise.withResolvers<void>();
        script.answerOnce("preview", () => held.promise);
        const { page, leave } = await open(`/backup/restore/${one!.id}`);
        const parts = page.getByRole("radio", { name: /Parts of it/ });
        await parts.waitFor();
        // No choice has been the same for long enough to be asked about.
        await page.clock.install();
        await page.clock.pauseAt(Date.now() + 60_000);
        const isPreview = (request: Request) =>
          request.url().endsWith("/api/backup/restore");
        const ended = Promise.race([
          page.waitForEvent("requestfinished", isPreview),
          page.waitForEvent("requestfailed", isPreview),
        ]);
        await parts.check();
        await page.getByRole("checkbox", { name: /^Snippets/ }).check();
        held.resolve();
        await ended;
        await page.getByText("Comparing").waitFor({ state: "attached" });
        const changes = page.getByRole("list", { name: "What changes" });
        expect(await changes.count()).toBe(0);
        const button = page.getByRole("button", { name: /^Restore/ });
        expect(await button.isDisabled()).toBe(true);
        await page.clock.runFor(1_000);
        await changes.getByText("3 added").waitFor();
        expect(await changes.getByText("1 changed").count()).toBe(0);

        // There and back again it is asked for once more.
        await page.getByRole("radio", { name: /Everything/ }).check();
        await parts.check();
        await page.clock.runFor(1_000);
        await changes.getByText("3 added").waitFor();
        // The clock is that of the window, in which the next test opens its page.
        await page.clock.resume();
        await leave();
      },
    );

    test(
      "everything: a word is typed, and the page waits for the daemon that restarts",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const history = toHistory(kernel.clock.now(), 0);
        script.reset(history);
        const { page } = await open("/backup/restore");
        await page.getByText("2 open agents are closed.").waitFor();
        await page
          .getByText(/^1 item that no snapshot holds.*stays where it is\.$/)
          .waitFor();
        await page
          .getByRole("checkbox", { name: /Keep this browser/ })
          .uncheck();
        await page.getByText(/All browsers have to pair again/).waitFor();
        let end = () => {};
        const done = new Promise<void>((resolve) => (end = resolve));
        script.answerOnce("restore", () => done);
        await page.getByRole("button", { name: "Restore everything" }).click();
        const question = dialog(page, "Restore everything?");
        const go = question.getByRole("button", { name: "Restore everything" });
        expect(await go.isDisabled()).toBe(true);
        await question.getByRole("textbox").fill("restore");
        await go.click();
        await page.getByText("Checking and unpacking every file").waitFor();
        const job = {
          kind: "restore",
          snapshotId: history[0]!.id,
          startedAt: new Date(kernel.clock.now()).toISOString(),
          doneBytes: 0,
          totalBytes: null,
        } as const;
        await script.progress({ ...job, step: "safety-snapshot" });
        const current = page.locator('[aria-current="step"]');
        await current.getByText("Taking a safety snapshot").waitFor();
        await script.progress({ ...job, step: "replacing" });
        await current.getByText("Putting it in place").waitFor();

        // The daemon is away, and the answer never comes.
        await page.route("**/api/backup", (route) => route.abort());
        await page.getByText(/^Gantry restarts\. This page connects/).waitFor();
        await script.progress(null);
        end();
        await page.unroute("**/api/backup");
        await page.getByText(/Everything is as in the snapshot of/).waitFor();
        // The result is in the address, and is there after a reload too.
        await page.reload();
        await page.getByText(/Everything is as in the snapshot of/).waitFor();
        expect(
          script.calls.find(({ operation }) => operation === "restore")?.body,
        ).toMatchObject({ id: history[0]!.id, keepsSessions: false });
        await page.close();
      },
    );

    test(
      "a failure says why, that nothing was lost, and lets one try again",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const history = toHistory(kernel.clock.now(), 0);
        script.reset(history);
        const { page } = await open(
          `/backup/restore/${history[1]!.id}?after=never`,
        );
        await page.getByText("Checking and unpacking every file").waitFor();
        const failure = "The plugin automations did not start on the copy.";
        await script.change({
          lastRestore: {
            at: new Date(kernel.clock.now()).toISOString(),
            snapshotId: history[1]!.id,
            only: null,
            safetySnapshotId: history[0]!.id,
            failure,
          },
        });
        await script.emit(
          RestoreEnded.of(history[1]!.id, { only: null, failure }),
        );
        await page.getByText("The restore failed").waitFor();
        await page.getByText(failure).waitFor();
        await page.getByText("Your data is as it was before").waitFor();
        await page.getByRole("button", { name: "Try again" }).click();
        await page.getByText("What would change").waitFor();
        await page.close();
      },
    );

    test(
      "a refusal stands beside the button, and the choice stays",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const [one] = toHistory(kernel.clock.now(), 0);
        script.reset([one!]);
        const { page } = await open(`/backup/restore/${one!.id}`);
        await page.getByText("3 added").waitFor();
        script.answerOnce("restore", () => {
          throw errors.BACKUP_DISK_FULL({ folder: "the home", needed: "3 GB" });
        });
        await page.getByRole("button", { name: "Restore everything" }).click();
        const question = page.getByRole("dialog");
        await question.getByRole("textbox").fill("restore");
        await question
          .getByRole("button", { name: "Restore everything" })
          .click();
        await page.getByText(/3 GB more are needed/).waitFor();
        await page.getByText("3 added").waitFor();
        await page.close();
      },
    );

    test(
      "a locked snapshot asks for its passphrase, and tells a wrong one",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const [one] = toHistory(kernel.clock.now(), 0);
        const { id } = one!;
        script.reset([{ ...one!, isEncrypted: true }]);
        script.answerPreviews(({ passphrase }, snapshot) => {
          if (passphrase === undefined)
            throw errors.BACKUP_PASSPHRASE_MISSING({ id });
          if (passphrase !== "correct horse")
            throw errors.BACKUP_PASSPHRASE_WRONG({ id });
          return {
            snapshot,
            only: null,
            parts: [],
            unsaved: 0,
            closesAgents: 0,
            notes: [],
          };
        });
        const { page } = await open(`/backup/restore/${id}`);
        const field = page.getByLabel("Passphrase of this snapshot");
        await field.fill("correct house");
        await field.press("Enter");
        await page.getByText("This passphrase does not open it.").waitFor();
        await field.fill("correct horse");
        await page.getByRole("button", { name: "Unlock" }).click();
        await page.getByText("Nothing would change").waitFor();
        await page.close();
      },
    );

    test(
      "a damaged snapshot cannot be restored, and says what is wrong",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const history = toHistory(kernel.clock.now(), 0);
        const damaged = history[7]!;
        script.reset(history);
        script.answerPreviews(() => {
          throw errors.BACKUP_SNAPSHOT_CORRUPT({
            id: damaged.id,
            reason: "agents.tar.zst is cut off",
          });
        });
        const { page } = await open(`/backup/restore/${damaged.id}`);
        await page.getByText("This snapshot is damaged").waitFor();
        await page.getByText("The snapshot could not be compared").waitFor();
        expect(
          await page
            .getByRole("button", { name: "Restore everything" })
            .isDisabled(),
        ).toBe(true);
        // Another one is a choice away.
        script.reset(history);
        await page.getByRole("button", { name: /^Snapshot/ }).click();
        await page.getByRole("option", { name: /Manual/ }).click();
        await page.getByText("3 added").waitFor();
        await page.close();
      },
    );

    test(
      "a snapshot that is older than the first pages is found",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const start = kernel.clock.now();
        const many = Array.from({ length: 120 }, (_, index) =>
          toSnapshot(
            { createdAt: new Date(start - index * 60_000).toISOString() },
            index,
          ),
        );
        script.reset(many);
        const { page, leave } = await open(`/backup/restore/${many[119]!.id}`);
        await page.getByText("3 added").waitFor();
        expect(script.calls.at(-1)?.body).toMatchObject({ id: many[119]!.id });
        await leave();
      },
    );

    test(
      "a snapshot of the future is restored only by those who choose it",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        const [newest, other] = toHistory(kernel.clock.now(), 0);
        const forged = { ...other!, createdAt: "9999-01-01T00:00:00.000Z" };
        script.reset([forged, newest!]);
        const { page } = await open("/backup/restore");
        await page.getByText("3 added").waitFor();
        expect(script.calls.at(-1)?.body).toMatchObject({ id: newest!.id });
        script.reset([forged]);
        await page.reload();
        await page.getByText("none is chosen for you").waitFor();
        await page.goto(new URL(`restore/${forged.id}`, page.url()).href);
        await page.getByText("3 added").waitFor();
        expect(script.calls.at(-1)?.body).toMatchObject({ id: forged.id });
        await page.close();
      },
    );

    test(
      "a snapshot that is gone, and a folder without any, are no dead ends",
      { tags: "thorough" },
      async () => {
        const { script, kernel, open } = given();
        script.reset(toHistory(kernel.clock.now(), 0).slice(0, 1));
        const { page } = await open(
          "/backup/restore/snap_zzzzzzzzzzzzzzzzzzzzzzzz",
        );
        await page.getByText("This snapshot is gone").waitFor();
        script.reset();
        await page.goto(new URL("/backup/restore", page.url()).href);
        await page.getByText("There is nothing to restore from.").waitFor();
        await page.getByRole("link", { name: "Go to Backup" }).click();
        await page.getByText("Keep a copy of everything in Gantry").waitFor();
        await page.close();
      },
    );
  });
}
