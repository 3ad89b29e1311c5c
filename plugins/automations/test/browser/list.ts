import { describe, expect, test } from "vitest";
import { heading, row } from "../support/visits.ts";
import type { Visits } from "../support/visits.ts";

export function tryList(visits: Visits): void {
  describe("the list", () => {
    test("switches, runs and says why", { tags: "thorough" }, async () => {
      const { bench } = visits;
      const { id } = await bench.create({
        name: "From the list",
        schedules: [
          { frequency: "weekdays", time: "09:00", timeZone: "Europe/Berlin" },
        ],
      });
      const page = await visits.open("/automations");
      const line = row(page, "From the list");
      await line.getByText("Weekdays at 09:00").waitFor();
      await line.getByText("Never ran").last().waitFor();
      // The next time on the reader's clocks, and how far away that is.
      await line
        .getByText(/^(Mon|Tue|Wed|Thu|Fri) 09:0\d$/)
        .last()
        .waitFor();
      await line.getByText(/^(in |tomorrow)/).waitFor();
      await line.getByRole("switch").click();
      await line.getByText("Off").last().waitFor();
      expect(
        (await bench.kernel.api.get(`/api/automations/${id}`)).body,
      ).toMatchObject({ enabled: false });
      await line.getByRole("button", { name: "Run From the list now" }).click();
      await line.getByText("Running").last().waitFor();
      (await visits.nextRun()).finish();
      await line.getByRole("button", { name: /^Done : why/ }).click();
      await page
        .getByText(
          "The automation is switched off, which does not matter to a run by hand.",
        )
        .waitFor();
      await visits.leave();
    });

    test("finds by name, by keyboard alone", { tags: "thorough" }, async () => {
      await visits.bench.create({ name: "Needle" });
      const page = await visits.open("/automations");
      await row(page, "Needle").waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("needl");
      await expect.poll(() => page.getByRole("switch").count()).toBe(1);
      await page.keyboard.type("x");
      await page.getByText("No automation has such a name").waitFor();
      await page.keyboard.press("Escape");
      await row(page, "Needle").waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("n");
      await heading(page, "New automation").waitFor();
      await visits.leave();
    });

    test(
      "the palette runs an automation, the home page shows what comes next",
      { tags: "thorough" },
      async () => {
        const { agents } = visits.bench;
        await visits.bench.create({
          name: "Palette one",
          schedules: [
            { frequency: "custom", cron: "* * * * *", timeZone: "UTC" },
          ],
        });
        const page = await visits.open("/");
        await page
          .getByRole("list", { name: "Next runs" })
          .getByText("Palette one")
          .waitFor();
        const count = agents.runs.length;
        await page.keyboard.press("Control+k");
        await page
          .getByPlaceholder("Search or type a command")
          .fill("run palette");
        await page.getByRole("option", { name: /Run Palette one/ }).click();
        await agents.started(count);
        await page.getByText('"Palette one" has started').waitFor();
        await visits.leave();
      },
    );
  });
}
