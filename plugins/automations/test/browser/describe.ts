import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { keepPicture } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { heading, nameField } from "../support/visits.ts";
import type { Visits } from "../support/visits.ts";

const WISH =
  "Every weekday at 9, look at ~/code/app and tell me which pull requests are stale.";
const drafted = {
  name: "Stale pull requests",
  prompt: "Look at the open pull requests. Say which are stale.",
  workspace: "/home/me/code/app",
  schedules: [{ cron: "0 9 * * 1-5", timeZone: "Europe/Berlin", label: null }],
  webhook: false,
  notifyUrl: null,
};
const answer = (fields: object = {}) => ({
  message: JSON.stringify({ ...drafted, ...fields }),
  usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.12 },
});
const field = (page: Page) => page.getByLabel("What is it to do, and when?");

export function tryDescribe(visits: Visits): void {
  describe("an automation that is described", () => {
    test(
      "is drafted by an agent and opens in the editor, by keyboard alone",
      { tags: "thorough" },
      async () => {
        const saved = async () => {
          const { body } = await visits.bench.kernel.api.get<{
            items: { id: string }[];
          }>("/api/automations", { limit: 500 });
          return body.items.map(({ id }) => id).sort();
        };
        const before = await saved();
        const page = await visits.open("/automations");
        await heading(page, "Automations").waitFor();
        await page.keyboard.press("d");
        await heading(page, "Describe an automation").waitFor();
        await expect
          .poll(() => field(page).evaluate((one) => one.matches(":focus")))
          .toBe(true);
        await page.keyboard.type(WISH);
        await page.keyboard.press("Control+Enter");
        await page.getByRole("status").getByText("drafts it").waitFor();
        const run = await visits.nextRun();
        expect(run.input.prompt).toContain(WISH);
        run.finish({ message: "Sure! It is `{nearly}` there." });
        await page.getByText("puts its draft right").waitFor();
        (await visits.nextRun()).finish(
          answer({ enabled: true, limits: { maxCostUsd: 50 } }),
        );

        await heading(page, "New automation").waitFor();
        expect(await nameField(page).inputValue()).toBe(drafted.name);
        expect(await page.getByLabel("Prompt").inputValue()).toBe(
          drafted.prompt,
        );
        expect(await page.getByLabel("Folder").inputValue()).toBe(
          drafted.workspace,
        );
        expect(
          await page.getByLabel("Time", { exact: true }).inputValue(),
        ).toBe("09:00");
        const dropped = page.getByRole("list", { name: "Left out" });
        await dropped.getByText("enabled: true").waitFor();
        await dropped.getByText('limits: {"maxCostUsd":50}').waitFor();
        expect(await page.getByLabel("Cost of a run").inputValue()).toBe("");
        const isOn = page.getByRole("switch", {
          name: "The automation is switched on",
        });
        expect(await isOn.getAttribute("aria-checked")).toBe("false");
        expect(await saved()).toEqual(before);
        await page.getByRole("button", { name: "Create automation" }).click();
        await heading(page, drafted.name).waitFor();
        await visits.leave();
      },
    );

    test(
      "fails with what the agent said, and keeps what was described",
      { tags: "thorough" },
      async () => {
        const page = await visits.open("/automations/describe", "phone");
        await field(page).fill(WISH);
        await page.getByRole("button", { name: "Draft it" }).click();
        const bad = answer({ schedules: [{ cron: "at nine" }] });
        (await visits.nextRun()).finish(bad);
        (await visits.nextRun()).finish(bad);
        const alert = page.getByRole("alert");
        await alert.getByText("cannot be used").waitFor();
        await alert.getByText("schedules.0.cron").waitFor();
        await alert.getByText("It cost $0.24.").waitFor();
        await alert.getByText("What the agent said", { exact: true }).click();
        await alert.getByText('"at nine"').waitFor();
        expect(await field(page).inputValue()).toBe(WISH);
        expect(await findBarriers(page, { within: "main" })).toEqual([]);
        // Loaded again, the page still has both.
        await page.reload();
        await alert.getByText("cannot be used").waitFor();
        expect(await field(page).inputValue()).toBe(WISH);
        await page.getByRole("button", { name: "Draft it again" }).click();
        (await visits.nextRun()).finish(answer());
        await heading(page, "New automation").waitFor();
        await page
          .getByRole("link", { name: "Change the description" })
          .click();
        await page.getByRole("button", { name: "Leave" }).click();
        await expect.poll(() => field(page).inputValue()).toBe(WISH);
        await visits.leave();
      },
    );

    test(
      "can be stopped, and is cleared away",
      { tags: "thorough" },
      async () => {
        const page = await visits.open("/automations/describe");
        await page
          .getByRole("list", { name: "Examples" })
          .getByRole("button")
          .first()
          .click();
        await page.getByRole("button", { name: "Draft it" }).click();
        const run = await visits.nextRun();
        await page.getByRole("button", { name: "Stop" }).click();
        await page.getByText("Stopped", { exact: true }).waitFor();
        expect(run.signal.aborted).toBe(true);
        expect(visits.bench.agents.gone).toContain(run.input.agentId);
        expect(await field(page).inputValue()).toContain("Every weekday at 9");
        await visits.leave();
      },
    );

    test(
      "takes the place of what is there only once it is saved",
      { tags: "thorough" },
      async () => {
        const { id } = await visits.bench.create({ name: "There before" });
        const page = await visits.open(`/automations/${id}/edit`);
        await page.getByRole("link", { name: "Describe it instead" }).click();
        await field(page).fill(WISH);
        await page.getByRole("button", { name: "Draft it" }).click();
        (await visits.nextRun()).finish(answer());
        await heading(page, "Edit There before").waitFor();
        await expect
          .poll(() => nameField(page).inputValue())
          .toBe(drafted.name);
        await page.getByText("Not saved yet").waitFor();
        const path = `/api/automations/${id}`;
        const { api } = visits.bench.kernel;
        expect((await api.get(path)).body).toMatchObject({
          name: "There before",
        });
        await page.getByRole("button", { name: "Save" }).click();
        await heading(page, drafted.name).waitFor();
        expect((await api.get(path)).body).toMatchObject({ enabled: true });
        await visits.leave();
      },
    );

    test(
      "is not drafted where no agent is, and the page says how to get one",
      { tags: "thorough" },
      async () => {
        const page = await visits.open("/automations");
        await heading(page, "Automations").waitFor();
        const clis = [
          { name: "pi", title: "pi", installed: false, isPractice: false },
          {
            name: "practice",
            title: "practice",
            installed: true,
            isPractice: true,
          },
        ].map((one) => ({
          reason: one.installed
            ? null
            : '"pi" is not on the PATH of the daemon.',
          isDefault: one.isPractice,
          capabilities: { model: false, cost: "usd" },
          ...one,
        }));
        await page.route("**/api/agents/clis", (route) =>
          route.fulfill({ json: { items: clis } }),
        );
        await page.getByRole("link", { name: "Describe one" }).click();
        await page.getByText("No agent is installed").waitFor();
        await page.getByText("is not on the PATH").first().waitFor();
        expect(await findBarriers(page, { within: "main" })).toEqual([]);
        await keepPicture(page, "automations/describe-no-agent-desk-light");
        await page.unroute("**/api/agents/clis");
        await page.getByRole("button", { name: "Look again" }).click();
        await field(page).waitFor();
        await visits.leave();
      },
    );

    test(
      "says so when the spend limits leave nothing",
      { tags: "thorough" },
      async () => {
        const { api } = visits.bench.kernel;
        const limit = (maxDailyUsd: number | null) =>
          api.request("PUT", "/api/automations/spending", {
            body: { maxDailyUsd, maxWeeklyUsd: null },
          });
        await limit(0.01);
        const page = await visits.open("/automations/describe");
        await field(page).fill(WISH);
        await page.getByRole("button", { name: "Draft it" }).click();
        await page.getByRole("alert").getByText("No agent was asked").waitFor();
        expect(await field(page).inputValue()).toBe(WISH);
        await limit(null);
        visits.forgive();
        await visits.leave();
      },
    );

    test.each([
      ["desk", "light"],
      ["desk", "dark"],
      ["phone", "dark"],
      ["phone", "light"],
    ] as const)(
      "looks right on a %s, %s",
      { tags: "thorough" },
      async (screen, colorScheme) => {
        const page = await visits.open("/automations/describe", screen);
        await page.emulateMedia({ colorScheme });
        const look = async (name: string) => {
          // A button under the pointer has other colours, and fades into them.
          await page.mouse.move(0, 0);
          await expect
            .poll(() => findBarriers(page, { within: "main" }), {
              message: name,
            })
            .toEqual([]);
          const { scrollWidth } = await page
            .locator("html")
            .evaluate((one) => ({ scrollWidth: one.scrollWidth }));
          expect(scrollWidth, name).toBe(page.viewportSize()?.width);
          await keepPicture(
            page,
            `automations/${name}-${screen}-${colorScheme}`,
          );
        };
        await field(page).waitFor();
        await look("describe");
        await field(page).fill(WISH);
        await page.getByRole("button", { name: "Draft it" }).click();
        const first = await visits.nextRun();
        await page.getByRole("status").getByText("drafts it").waitFor();
        await look("describe-working");
        const bad = answer({ schedules: [{ cron: "at nine" }, {}] });
        first.finish(bad);
        (await visits.nextRun()).finish(bad);
        await page.getByRole("alert").waitFor();
        await look("describe-failed");
        await page.getByRole("button", { name: "Draft it again" }).click();
        (await visits.nextRun()).finish(
          answer({ enabled: true, permissions: { mode: "allow-once" } }),
        );
        await page.getByText("nothing is saved yet").waitFor();
        await look("describe-drafted");
        await visits.leave();
      },
    );
  });
}
