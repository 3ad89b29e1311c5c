import { findBarriers } from "@gantry/ui-kit/testing";
import { isThorough, keepPicture, thoroughUnless } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { heading, reading, row } from "../support/visits.ts";
import type { Visits } from "../support/visits.ts";

export function tryLooks(visits: Visits): void {
  describe("all pages", () => {
    test("hostile names and prompts are text everywhere", async () => {
      const name = '<img src=x onerror="window.hit=1">';
      const { id } = await visits.bench.create({
        name,
        prompt: "<script>window.hit=1</script>[x](javascript:alert(1))",
        schedules: [
          {
            frequency: "daily",
            time: "09:00",
            timeZone: "UTC",
            label: "<b>bold</b>",
          },
        ],
      });
      const page = await visits.open("/automations");
      const isHarmless = async (path: string) => {
        await page.waitForURL(`**${path}`);
        await page.getByText(name).first().waitFor();
        expect(await page.evaluate("window.hit")).toBeUndefined();
      };
      await isHarmless("/automations");
      await row(page, name).getByRole("link").click();
      await page.getByText("<b>bold</b>").first().waitFor();
      await isHarmless(`/automations/${id}`);
      await page.getByRole("link", { name: "Edit" }).click();
      await reading(page, "Next:").waitFor();
      await isHarmless(`/automations/${id}/edit`);
      // The home page has only what runs, and what runs soon.
      await visits.bench.kernel.api.post(`/api/automations/${id}/run`);
      const run = await visits.nextRun();
      await page.getByRole("link", { name: "Home", exact: true }).click();
      await isHarmless("/");
      run.finish();
      await visits.leave();
    });

    for (const [where, screen] of [
      ["a desk", "desk"],
      ["a phone, dark", "phone"],
    ] as const)
      test(
        `on ${where} axe finds nothing, and nothing sticks out`,
        { tags: thoroughUnless(screen === "desk") },
        async () => {
          const { bench } = visits;
          const name = `On a ${screen} ${"for-everybody-".repeat(4)}`;
          const { id } = await bench.create({
            name,
            webhook: true,
            notifyUrl: "https://hooks.example.org/services/T0/B0/secret",
            schedules: [
              {
                frequency: "daily",
                time: "09:00",
                timeZone: "America/New_York",
                label: "In the morning",
              },
              {
                frequency: "custom",
                cron: "*/15 9-17 * * 1-5",
                timeZone: "UTC",
              },
            ],
          });
          for (const failure of ["agent-error", null] as const) {
            bench.agents.answer = () => ({ failure, message: "It is so." });
            await bench.kernel.api.post(`/api/automations/${id}/run`);
          }
          bench.agents.answer = undefined;
          await bench.kernel.api.request("PUT", "/api/automations/spending", {
            body: { maxDailyUsd: 0.5, maxWeeklyUsd: null },
          });
          await bench.kernel.stranger.request(
            "POST",
            `/api/automations/${id}/fire`,
            { headers: { authorization: "Bearer wrong" } },
          );
          const page = await visits.open("/automations", screen);
          async function look(path: string): Promise<void> {
            await page.waitForURL(`**${path}`);
            expect(await findBarriers(page, { within: "main" }), path).toEqual(
              [],
            );
            expect(await page.evaluate(findOverflow), path).toEqual([]);
            const name = path
              .replaceAll(id, "one")
              .slice(1)
              .replaceAll("/", "-");
            await keepPicture(page, `automations/${name}-${screen}`);
            if (screen === "phone" || !isThorough) return;
            await page.emulateMedia({ colorScheme: "dark" });
            await page.locator("html.dark").waitFor();
            const dark = { within: "main", rules: ["color-contrast"] };
            expect(await findBarriers(page, dark), `${path}, dark`).toEqual([]);
            await keepPicture(page, `automations/${name}-${screen}-dark`);
            await page.emulateMedia({ colorScheme: "light" });
            await page.locator("html:not(.dark)").waitFor();
          }

          await row(page, name).waitFor();
          await look("/automations");
          await page.getByText("of $0.50").first().waitFor();
          await page.getByRole("link", { name: "Week", exact: true }).click();
          await page.getByRole("listitem").getByText("today").waitFor();
          await page.getByText("Done").first().waitFor();
          await look("/automations/week");
          await page.getByRole("button", { name: "The week after" }).click();
          await page
            .getByText(/about 36 times/)
            .first()
            .waitFor();
          await page.getByRole("link", { name: /^Back/ }).click();
          await row(page, name).getByRole("link").click();
          await page.getByText("offset").first().waitFor();
          await page.getByText("without the secret").waitFor();
          await page
            .getByRole("button", { name: /^Run 1/ })
            .last()
            .click();
          await look(`/automations/${id}`);
          await page.getByRole("link", { name: "Edit" }).click();
          await reading(page, "Next:").first().waitFor();
          await look(`/automations/${id}/edit`);
          await page.getByRole("button", { name: "Cancel" }).click();
          await heading(page, name).waitFor();
          await page.getByRole("link", { name: /^Back/ }).click();
          await page.getByRole("link", { name: "New automation" }).click();
          await reading(page, "Next:").waitFor();
          await look("/automations/new");
          await visits.leave();
          await bench.kernel.api.request("PUT", "/api/automations/spending", {
            body: { maxDailyUsd: null, maxWeeklyUsd: null },
          });
        },
      );
  });
}

/** Names what reaches over the edge of the screen, or makes the document scroll behind the page. */
const findOverflow = `(() => {
  const found = [];
  const { scrollWidth, scrollHeight } = document.documentElement;
  if (scrollWidth > innerWidth || scrollHeight > innerHeight)
    found.push("document " + scrollWidth + " x " + scrollHeight);
  for (const element of document.querySelectorAll("[data-page-scroll] *")) {
    const { right, width } = element.getBoundingClientRect();
    // Code scrolls, and a line that is too long ends in dots.
    const mayReachOver = element.closest("pre, .truncate");
    if (width > 0 && right > innerWidth && !mayReachOver)
      found.push(element.outerHTML.slice(0, 120));
  }
  return found;
})()`;
