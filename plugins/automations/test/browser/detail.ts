import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { startReceiver } from "../support/receivers.ts";
import { heading, row, runs } from "../support/visits.ts";
import type { Visits } from "../support/visits.ts";

async function chooseFromMenu(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: /^More to do/ }).click();
  await page.getByRole("menuitem", { name }).click();
}

export function tryDetail(visits: Visits): void {
  describe("the page of one", () => {
    test(
      "a run unfolds to its message, its reasons and its agent, by keyboard",
      { tags: "thorough" },
      async () => {
        const { bench } = visits;
        const { id, agentId } = await bench.create({
          name: "Unfolds",
          limits: { maxRunsPerDay: 4 },
        });
        bench.agents.answer = () => ({
          message: "# Found\n\n<img src=x onerror=alert(1)> **two** things",
          usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.1234 },
        });
        const page = await visits.open(`/automations/${id}`);
        await heading(page, "Unfolds").waitFor();
        await page.keyboard.press("r");
        await runs(page).getByText("Done").waitFor();
        bench.agents.answer = undefined;
        await page.getByRole("button", { name: /^Run 1/ }).focus();
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Found" }).waitFor();
        await page.getByText("<img src=x onerror=alert(1)>").waitFor();
        await page.getByText("0 of 4 in the last day").waitFor();
        await page.getByText("cost $0.12", { exact: true }).waitFor();
        const link = page.getByRole("link", { name: "Open the agent" });
        expect(await link.getAttribute("href")).toMatch(
          new RegExp(`^/agents/${agentId}\\?run=run_\\w+$`),
        );
        await visits.leave();
      },
    );

    test(
      "a run has the name of the schedule that fired",
      { tags: "thorough" },
      async () => {
        const { bench } = visits;
        const { id } = await bench.create({
          name: "Fires",
          schedules: [
            {
              frequency: "custom",
              cron: "* * * * *",
              timeZone: "UTC",
              label: "Before the stand-up",
            },
          ],
        });
        const page = await visits.open(`/automations/${id}`);
        await heading(page, "Fires").waitFor();
        bench.agents.answer = () => ({ message: "All is well." });
        await bench.kernel.clock.advance(90_000);
        await runs(page).getByText("Before the stand-up").first().waitFor();
        bench.agents.answer = undefined;
        await bench.kernel.api.delete(`/api/automations/${id}`);
        await visits.leave();
      },
    );

    test(
      "a notification is tried, and the rest of its address stays hidden",
      { tags: "thorough" },
      async () => {
        await using good = await startReceiver();
        await using bad = await startReceiver((response) => {
          response.statusCode = 404;
          response.end("<b>no_service</b>");
        });
        const { id } = await visits.bench.create({
          name: "Tells a chat",
          notifyUrl: good.url,
        });
        const page = await visits.open(`/automations/${id}`);
        const tryIt = page.getByRole("button", { name: "Send a test" });
        await tryIt.click();
        await page.getByText("Delivered: the target answered").waitFor();
        expect(good.requests).toHaveLength(1);
        expect(await page.content()).not.toContain(new URL(good.url).pathname);
        const path = `/api/automations/${id}`;
        const { api, clock } = visits.bench.kernel;
        await api.patch(path, { notifyUrl: bad.url });
        const before = clock.pending;
        await page.getByRole("button", { name: "Run now" }).click();
        await page.getByRole("button", { name: "Stop the run" }).waitFor();
        (await visits.nextRun()).finish();
        await runs(page).getByText("Done").waitFor();
        await expect.poll(() => clock.pending).toBeGreaterThan(before);
        await clock.advance(5_000);
        await page.getByText("The last one did not arrive").waitFor();
        await page.getByRole("link", { name: "Edit" }).click();
        const address = page.getByLabel("Webhook of the chat");
        await address.fill("hooks.example.org");
        await page.getByText("with https:// before it").waitFor();
        expect(await tryIt.isDisabled()).toBe(true);
        await address.fill(bad.url);
        await tryIt.click();
        await page.getByText("Not delivered. The target answered").waitFor();
        await page.getByText("<b>no_service</b>").waitFor();
        await address.fill("http://169.254.169.254/");
        await tryIt.click();
        await page.getByText("link-local or for metadata").waitFor();
        await page.getByRole("button", { name: "Save" }).click();
        await expect
          .poll(() => address.getAttribute("aria-invalid"))
          .toBe("true");
        await address.fill("");
        await page.getByRole("button", { name: "Save" }).click();
        await heading(page, "Tells a chat").waitFor();
        await expect.poll(() => tryIt.count()).toBe(0);
        visits.forgive();
        await visits.leave();
      },
    );

    test(
      "the last runs are a picture, whose bars lead to the runs, by keyboard too",
      { tags: "thorough" },
      async () => {
        const { bench } = visits;
        const { id } = await bench.create({
          name: "Pictured",
          limits: { maxRunsPerDay: 3 },
        });
        const outcomes = [
          { usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.25 } },
          { failure: "agent-error", message: "It broke." },
          {},
        ] as const;
        const path = `/api/automations/${id}`;
        for (const outcome of outcomes) {
          bench.agents.answer = () => outcome;
          await bench.kernel.api.post(`${path}/run`);
          await expect
            .poll(async () => (await bench.kernel.api.get(path)).body)
            .toMatchObject({ activeRunId: null });
        }
        bench.agents.answer = undefined;
        await bench.kernel.api.post(`${path}/run`);
        const page = await visits.open(`/automations/${id}`);
        await page
          .getByText(
            /^Last 4 runs: 2 done · 1 failed · 1 skipped · usually .* · at least \$0\.25 in all$/,
          )
          .waitFor();
        const picture = page.getByRole("group", { name: /^The last runs/ });
        const bars = picture.getByRole("button");
        expect(await bars.count()).toBe(4);
        const said = (words: RegExp) =>
          page.locator("p").filter({ hasText: words });
        await bars.last().focus();
        await said(/^Run 4: Skipped · rate cap · By hand/).waitFor();
        await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("ArrowLeft");
        await said(/^Run 2: Failed · agent error/).waitFor();
        await page.keyboard.press("Enter");
        await runs(page).getByText("It broke.").waitFor();
        const unfolded = runs(page).getByRole("button", { expanded: true });
        expect(await unfolded.textContent()).toContain("Run 2");
        expect(await unfolded.evaluate((one) => one.matches(":focus"))).toBe(
          true,
        );
        await visits.leave();
      },
    );

    test(
      "a run that is going can be stopped",
      { tags: "thorough" },
      async () => {
        const { id } = await visits.bench.create({ name: "Stoppable" });
        const page = await visits.open(`/automations/${id}`);
        await page.getByRole("button", { name: "Run now" }).click();
        await page.getByRole("button", { name: "Stop the run" }).click();
        await runs(page).getByText("Failed · stopped").waitFor();
        await page.getByRole("button", { name: "Run now" }).waitFor();
        await visits.leave();
      },
    );

    test(
      "a new secret is asked about, and the old one is dead",
      { tags: "thorough" },
      async () => {
        const { bench } = visits;
        const { id } = await bench.create({ name: "Secretive", webhook: true });
        const page = await visits.open(`/automations/${id}`);
        await page.getByText("The secret was made").waitFor();
        await page.getByRole("button", { name: "New secret" }).click();
        await page.getByRole("button", { name: "Make a new secret" }).click();
        const secret = await page
          .getByRole("textbox", { name: "Webhook secret" })
          .inputValue();
        const answer = await bench.kernel.stranger.request(
          "POST",
          `/api/automations/${id}/fire`,
          { headers: { authorization: `Bearer ${secret}` } },
        );
        expect(answer.status).toBe(200);
        await page.getByRole("button", { name: "I have kept it" }).click();
        await page.getByText("The secret was made").waitFor();
        await visits.leave();
      },
    );

    test(
      "deleting is asked about, and leads back to the list",
      { tags: "thorough" },
      async () => {
        const { id } = await visits.bench.create({ name: "Short lived" });
        const page = await visits.open(`/automations/${id}`);
        const dialog = page.getByRole("dialog");
        await chooseFromMenu(page, "Delete");
        await dialog.getByRole("button", { name: "Cancel" }).click();
        await heading(page, "Short lived").waitFor();
        await chooseFromMenu(page, "Delete");
        await dialog.getByRole("button", { name: "Delete" }).click();
        await heading(page, "Automations").waitFor();
        await expect.poll(() => row(page, "Short lived").count()).toBe(0);
        // The page that is being left may ask once more for what is gone.
        visits.forgive();
        await visits.leave();
      },
    );

    test(
      "one that is gone, and one that cannot be loaded, say so and lead on",
      { tags: "thorough" },
      async () => {
        const page = await visits.open(`/automations/aut_${"a".repeat(24)}`);
        await page.getByText("This automation is gone").waitFor();
        await page.getByRole("link", { name: "All automations" }).click();
        await heading(page, "Automations").waitFor();
        const { id } = await visits.bench.create({ name: "Out of reach" });
        await page.route(`**/api/automations/${id}`, (route) => route.abort());
        await row(page, "Out of reach").getByRole("link").click();
        await page.getByText("The automation could not be loaded").waitFor();
        await page.unroute(`**/api/automations/${id}`);
        await page.getByRole("button", { name: "Try again" }).click();
        await heading(page, "Out of reach").waitFor();
        visits.forgive();
        await visits.leave();
      },
    );
  });
}
