import { keepPicture } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import type { AutomationView } from "../../src/wire/automation.ts";
import { heading, reading, runs } from "../support/visits.ts";
import type { Visits } from "../support/visits.ts";

export function tryCalls(visits: Visits): void {
  describe("calls, money and the week", () => {
    test(
      "a call of the webhook is listed, and sent again",
      { tags: "thorough" },
      async () => {
        const { api, stranger } = visits.bench.kernel;
        const { body } = await api.post<{
          automation: AutomationView;
          webhookSecret: string;
        }>("/api/automations", {
          name: "Is called",
          prompt: "Say what came.",
          webhook: true,
        });
        const { id } = body.automation;
        const page = await visits.open(`/automations/${id}`);
        await page.getByText("No calls yet").waitFor();
        await page.getByText(`/-/hook/<user_name>/${id}`).waitFor();
        const payload = new TextEncoder().encode("the door is open");
        await stranger.request("POST", `/api/automations/${id}/fire`, {
          headers: { authorization: `Bearer ${body.webhookSecret}` },
          body: payload,
        });
        const calls = page.getByRole("list", { name: "Calls" });
        await calls.getByText("127.0.0.1 · 16 bytes").waitFor();
        (await visits.nextRun()).finish();
        await page
          .getByRole("list", { name: "Runs" })
          .getByText("Done")
          .waitFor();
        await calls.getByRole("button", { name: "Redeliver" }).click();
        const again = await visits.nextRun();
        expect(again.input.prompt).toContain("the door is open");
        await calls.getByText("sent again · 16 bytes").waitFor();
        again.finish();
        await visits.leave();
      },
    );

    test(
      "a revoked secret that a restore brought back has to be replaced by a new one",
      { tags: "thorough" },
      async () => {
        const { bench } = visits;
        const { id } = await bench.create({ name: "Restored", webhook: true });
        const copy = await bench.keeper.copy();
        await bench.kernel.api.post(`/api/automations/${id}/secret`);
        await bench.keeper.restore(copy, "automations");
        const page = await visits.open(`/automations/${id}`, "phone");
        const warning = page.getByText(
          "No call passes. The secret was revoked",
        );
        await warning.waitFor();
        await keepPicture(page, "automations/revoked-secret");
        await page.getByRole("button", { name: "New secret" }).click();
        await page.getByRole("button", { name: "Make a new secret" }).click();
        await page.getByText("Webhook secret", { exact: true }).waitFor();
        await warning.waitFor({ state: "detached" });
        await visits.leave();
      },
    );

    test(
      "limits on spending are set on the list",
      { tags: "thorough" },
      async () => {
        const { bench } = visits;
        await bench.create({
          name: "Spends",
          limits: { maxCostUsd: 2 },
          schedules: [{ frequency: "hourly", minute: 5, timeZone: "UTC" }],
        });
        const page = await visits.open("/automations");
        await page.getByRole("button", { name: "Set limits" }).click();
        await page.getByLabel("In any 24 hours").fill("-1");
        await page.getByText("must be an amount above 0, or empty").waitFor();
        await page.getByLabel("In any 24 hours").fill("0.01");
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText(/of \$0\.01/).waitFor();
        const path = "/api/automations/spending";
        const { body } = await bench.kernel.api.get(path);
        expect(body).toMatchObject({ limits: { maxDailyUsd: 0.01 } });
        await bench.kernel.api.request("PUT", path, {
          body: { maxDailyUsd: null, maxWeeklyUsd: null },
        });
        await page.getByText(/of \$0\.01/).waitFor({ state: "detached" });
        await visits.leave();
      },
    );

    test(
      "a run that the spend limits skip says why, and leads to the limits",
      { tags: "thorough" },
      async () => {
        const { kernel, agents, create } = visits.bench;
        const { api } = kernel;
        const { id } = await create({ name: "Too dear" });
        const path = `/api/automations/${id}`;
        const usage = { inputTokens: 1, outputTokens: 1, costUsd: 0.5 };
        const count = agents.runs.length;
        await api.post(`${path}/run`);
        (await agents.started(count)).finish({ usage });
        await api.request("PUT", "/api/automations/spending", {
          body: { maxDailyUsd: 0.25, maxWeeklyUsd: null },
        });
        const page = await visits.open(`/automations/${id}`);
        await runs(page).getByText("Done").waitFor();
        await page.getByRole("button", { name: "Run now" }).click();
        const skipped = runs(page)
          .getByRole("listitem")
          .filter({ hasText: "Skipped · cost cap" });
        await skipped.getByRole("button").first().click();
        await page
          .getByText(/All automations together have spent [\d.]+ of 0\.25 USD/)
          .first()
          .waitFor();
        await page
          .getByRole("link", { name: "Change the spend limits" })
          .click();
        const daily = page.getByLabel("In any 24 hours");
        await expect
          .poll(() => daily.evaluate((one) => one.matches(":focus")))
          .toBe(true);
        expect(await daily.inputValue()).toBe("0.25");
        await daily.fill("");
        await page.keyboard.press("Enter");
        await daily.waitFor({ state: "detached" });
        await api.post(`${path}/run`);
        (await agents.started(count + 1)).finish();
        await visits.leave();
      },
    );

    test(
      "the page of one that is off, and the editor, say what switching on means",
      { tags: "thorough" },
      async () => {
        const { id } = await visits.bench.create({
          name: "Is off",
          enabled: false,
          limits: { maxCostUsd: 2 },
          schedules: [
            { frequency: "custom", cron: "0 9,17 * * *", timeZone: "UTC" },
          ],
        });
        const page = await visits.open(`/automations/${id}`);
        await page.getByText(/^It would run/).waitFor();
        const worst =
          "At most 2 runs and $4.00 a day, 14 runs and $28.00 a week.";
        await page.getByText(worst).waitFor();
        await page.getByRole("link", { name: "Edit" }).click();
        await heading(page, "Edit Is off").waitFor();
        await reading(page, "Next:").waitFor();
        await page.getByText("At 09:00 and 17:00").waitFor();
        await page.getByText(worst).waitFor();
        await page.getByLabel("Runs a day").fill("1");
        await page
          .getByText("At most 1 run and $2.00 a day, 7 runs and $14.00 a week.")
          .waitFor();
        await visits.leave();
      },
    );
  });
}
