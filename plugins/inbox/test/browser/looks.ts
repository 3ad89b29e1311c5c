import { cases, isThorough } from "@gantry/build/testing";
import { findBarriers } from "@gantry/ui-kit/testing";
import { expect, test } from "vitest";
import type { BrowserInbox } from "../support/browser-inbox.ts";
import { dialogOpened, runFinished } from "../support/sources.ts";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

const run = (name: string) =>
  runFinished({ automationName: name, message: `About ${name}.` });

export function tryLooks(given: () => BrowserInbox): void {
  test("axe finds nothing on its pages, in light and dark, on a desk and on a phone", async () => {
    const inbox = given();
    const result = await inbox.tell(run("Checked by axe"));
    const question = await inbox.tell(
      dialogOpened({ kind: "question", takesText: true }),
    );
    const done = await inbox.tell(run("Done before"));
    await inbox.kernel.api.post(`/api/inbox/${done}/state`, {
      state: "done",
    });
    const { page } = await inbox.open("/inbox");
    for (const path of [
      `/inbox/${question}`,
      ...cases([`/inbox/${result}`, "/inbox", "/inbox?view=done", "/"]),
    ]) {
      await page.setViewportSize(DESK);
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto(new URL(path, page.url()).href);
      await page.locator("[data-item]").first().waitFor();
      if (path.includes("inb_")) await page.getByRole("article").waitFor();
      expect(
        await findBarriers(page, { within: "main" }),
        `${path}, light`,
      ).toEqual([]);
      if (!isThorough) continue;
      await page.emulateMedia({ colorScheme: "dark" });
      await page.locator("html.dark").waitFor();
      expect(
        await findBarriers(page, {
          within: "main",
          rules: ["color-contrast"],
        }),
        `${path}, dark`,
      ).toEqual([]);
      await page.setViewportSize(PHONE);
      await page
        .getByRole("navigation", { name: "Main" })
        .getByRole("button", { name: "More" })
        .waitFor();
      expect(
        await findBarriers(page, { within: "main" }),
        `${path}, on a phone`,
      ).toEqual([]);
    }
    for (const id of [result, question, done])
      await inbox.kernel.api.delete(`/api/inbox/${id}`);
    await page.close();
  });
}
