import type { ScreenName } from "@gantry/plugin-testing/browser";
import type { Page } from "playwright-core";
import { isThorough, thoroughUnless } from "@gantry/build/testing";
import { describe, test } from "vitest";
import { inspect } from "./support/inspect.ts";
import { choose } from "./support/parts.ts";
import { toHistory } from "./support/samples.ts";
import type { ScriptedStage } from "./support/stage.ts";

const MINUTE_MS = 60_000;

/** Shows all of a page in one picture. */
async function grow(page: Page): Promise<void> {
  const { width } = page.viewportSize()!;
  const height = (await page.evaluate(
    'document.querySelector("[data-page-scroll]").scrollHeight',
  )) as number;
  await page.setViewportSize({ width, height: Math.min(2400, height + 140) });
}

export function tryLooks(given: () => ScriptedStage): void {
  describe("to look at", () => {
    for (const screen of ["desk", "phone"] satisfies ScreenName[])
      test(
        `on a ${screen} axe finds nothing and nothing sticks out`,
        { tags: thoroughUnless(screen === "desk") },
        async () => {
          const { script, kernel, open } = given();
          const now = kernel.clock.now();
          const go = async (path: string) => {
            const { page } = visitor;
            const { width } = page.viewportSize()!;
            await page.setViewportSize({ width, height: 800 });
            await page.goto(new URL(path, page.url()).href);
          };
          const look = async (name: string) => {
            if (isThorough) await grow(visitor.page);
            await inspect(visitor.page, name);
          };

          script.reset();
          const visitor = await open("/", screen);
          const { page } = visitor;
          await go("/backup");
          await page.getByText("Keep a copy of everything in Gantry").waitFor();
          await page.getByRole("switch", { name: "Encrypt snapshots" }).click();
          await page.getByLabel("Repeat it").fill("x");
          await page.getByRole("button", { name: "Save and back up" }).click();
          await page.getByText("This is not the same passphrase.").waitFor();
          await look("first-run");

          const history = toHistory(now);
          script.reset(history);
          await script.change({
            freeBytes: 84_000_000_000,
            lastVerifiedAt: history[0]!.verifiedAt,
            nextSnapshotAt: new Date(now + 48 * MINUTE_MS).toISOString(),
          });
          await go("/backup");
          await page.getByText("Your data is backed up").waitFor();
          await page.getByRole("slider").waitFor();
          await look("overview");
          await go("/backup/settings");
          await page.getByRole("combobox", { name: "Back up" }).waitFor();
          await page.getByRole("switch", { name: "Encrypt snapshots" }).click();
          await page.getByLabel("Repeat it").waitFor();
          await look("settings");

          page.on("dialog", (asked) => void asked.accept());
          await go(`/backup/restore/${history[2]!.id}`);
          await page.getByText("3 added").waitFor();
          await page.getByText("Show the first 2").click();
          await look("restore-everything");

          // One state of each page is enough for every change.
          if (!isThorough) return visitor.leave();

          await page.getByRole("radio", { name: /Parts of it/ }).check();
          await page.getByRole("checkbox", { name: /^Snippets/ }).check();
          await page.getByText("Choose single kinds").first().click();
          await page.getByRole("checkbox", { name: /^Turns/ }).check();
          await page.getByRole("button", { name: "Restore 2 parts" }).waitFor();
          await page.getByText("3 added").waitFor();
          await look("restore-parts");

          await script.progress({
            kind: "restore",
            snapshotId: history[2]!.id,
            step: "staging",
            startedAt: new Date(now).toISOString(),
            doneBytes: 212_000_000,
            totalBytes: 816_000_000,
          });
          await page.getByText("25 %").waitFor();
          await look("restoring");
          await script.progress(null);

          await script.change({
            lastRestore: {
              at: new Date(now).toISOString(),
              snapshotId: history[2]!.id,
              only: null,
              safetySnapshotId: history[0]!.id,
              failure: null,
            },
          });
          await go(`/backup/restore/${history[2]!.id}?after=never`);
          await page.getByText("Everything is as in the snapshot").waitFor();
          await look("restored");
          await go("/backup");
          await page.getByText("Your data is backed up").waitFor();
          await page.getByRole("slider").waitFor();
          await page.getByRole("button", { name: "Whole size" }).click();

          await script.change({
            problem: {
              code: "BACKUP_FOLDER_UNAVAILABLE",
              message:
                "There is no gantry-backup in the backup folder. Connect its disk or choose another folder; nothing was changed.",
              at: new Date(now).toISOString(),
            },
            lastRestore: {
              at: new Date(now - MINUTE_MS).toISOString(),
              snapshotId: history[3]!.id,
              only: ["snippets", "automations:run"],
              safetySnapshotId: history[5]!.id,
              failure: null,
            },
          });
          await script.progress({
            kind: "snapshot",
            snapshotId: null,
            step: "reading",
            startedAt: new Date(now).toISOString(),
            doneBytes: 412_000_000,
            totalBytes: 1_210_000_000,
          });
          await page.getByText("34 %").waitFor();
          await look("overview-problem");
          await script.progress(null);
          await script.change({ problem: null, lastRestore: null });

          const asked = page.getByRole("dialog");
          await choose(page, history[1]!.id, "Delete");
          await asked.getByRole("button", { name: "Delete" }).waitFor();
          await inspect(page, "delete", "[role=dialog]");
          await asked.getByRole("button", { name: "Cancel" }).click();

          await go("/");
          await page.getByText("Your data is backed up").waitFor();
          await inspect(page, "home");

          script.reset();
          await go("/");
          await page.getByText("Nothing is backed up yet.").waitFor();
          await inspect(page, "home-without");
          await visitor.leave();
        },
      );
  });
}
