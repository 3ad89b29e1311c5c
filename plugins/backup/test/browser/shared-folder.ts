import type { ScreenName } from "@gantry/plugin-testing/browser";
import { describe, expect, test } from "vitest";
import type { OtherHome } from "../../src/contract.ts";
import { inspect } from "./support/inspect.ts";
import { pathOf, row } from "./support/parts.ts";
import { toHistory } from "./support/samples.ts";
import type { ScriptedStage } from "./support/stage.ts";

export function tryShared(given: () => ScriptedStage): void {
  describe("two homes in one folder", () => {
    for (const screen of ["desk", "phone"] satisfies ScreenName[])
      test(
        `on a ${screen} the other one is named with its snapshots, and another folder is a click away`,
        { tags: "thorough" },
        async () => {
          const { script, kernel, open } = given();
          const now = kernel.clock.now();
          const name =
            "workshop-with-a-long-name:/home/ada/.local/share/gantry";
          const history = toHistory(now, 3).map((snapshot, index) =>
            index === 0 ? { ...snapshot, otherHome: name } : snapshot,
          );
          const other: OtherHome = {
            ...{ name, snapshots: 1 },
            lastSnapshotAt: history[0]!.createdAt,
          };
          script.reset(history);
          await script.change({ otherHomes: [other] });
          const { page, leave } = await open("/backup", screen);
          const warning = page.getByText(/also holds snapshots of/);
          await warning.waitFor();
          expect(await warning.textContent()).toContain(
            `of another home: ${name} (1\u00A0snapshot).`,
          );
          await row(page, history[0]!.id)
            .getByText(`Of another home: ${name}`)
            .waitFor();
          const { width, height } = page.viewportSize()!;
          await page.setViewportSize({ width, height: 1600 });
          await inspect(page, "shared-folder");
          await page.setViewportSize({ width, height });
          await page
            .getByRole("link", { name: "Choose another folder" })
            .click();
          await page.getByLabel("Folder").waitFor();
          expect(pathOf(page)).toBe("/backup/settings");

          // The open page follows changes of the folder.
          await page.goBack();
          await warning.waitFor();
          await script.change({
            otherHomes: [
              { ...other, snapshots: 1200 },
              { ...other, name: "laptop:/home/ada/.local/share/gantry" },
            ],
          });
          await page.getByText(/of other homes: .*1,200\s+snapshots/).waitFor();
          await script.change({ otherHomes: [] });
          await warning.waitFor({ state: "detached" });

          // The newest one is of the other home, and is restored only by those who choose it.
          const go = (path: string) =>
            page.goto(new URL(path, page.url()).href);
          const chosen = page.getByLabel(/^Snapshot: /);
          await go("/backup/restore");
          await chosen.waitFor();
          const ofOther = page.getByText("This snapshot is of another home");
          expect(await ofOther.count()).toBe(0);
          await go(`/backup/restore/${history[0]!.id}`);
          await ofOther.waitFor();
          expect(await chosen.textContent()).toContain("Another home");
          await page.getByText(name).first().waitFor();
          await inspect(page, "shared-folder-restore");
          await leave();
        },
      );
  });
}
