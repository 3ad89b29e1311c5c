import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, startBrowserBench } from "../support/browser-bench.ts";
import type { BrowserBench, Visitor } from "../support/browser-bench.ts";

const DESK = {
  viewport: { width: 1280, height: 800 },
  timezoneId: "Europe/Berlin",
  locale: "en-GB",
};
const PHONE = { ...DESK, viewport: { width: 390, height: 844 } };

describe.skipIf(chromiumPath === undefined)(
  "the pages in a browser",
  { timeout: 180_000 },
  () => {
    let bench: BrowserBench;
    let visitor: Visitor;

    beforeAll(async () => {
      bench = await startBrowserBench();
    }, 60_000);
    afterAll(() => bench[Symbol.asyncDispose]());

    async function open(path: string, options: object = DESK): Promise<Page> {
      visitor = await bench.open(path, options);
      return visitor.page;
    }
    /** The page did nothing wrong, and asked nobody but the daemon. */
    async function leave(): Promise<void> {
      expect(visitor.faults).toEqual([]);
      expect(visitor.stray).toEqual([]);
      await visitor.page.context().close();
    }
    const heading = (page: Page, name: string) =>
      page.getByRole("heading", { name, level: 1 });
    const reading = (page: Page, words: string) =>
      page.locator("fieldset p").filter({ hasText: words });
    const row = (page: Page, name: string) =>
      page
        .getByRole("list", { name: "Automations" })
        .getByRole("listitem")
        .filter({ hasText: name });

    test("an automation is written with a live reading, saved, and shows its secret once", async () => {
      const page = await open("/automations");
      await page.getByRole("link", { name: "New automation" }).first().click();
      await page
        .getByLabel("Name", { exact: false })
        .first()
        .fill("Written by hand");
      await page.getByLabel("Prompt").fill("Say what is new.");
      await page.getByLabel("Time", { exact: true }).fill("07:45");
      await expect
        .poll(() => reading(page, "Next:").textContent())
        .toMatch(/07:45.*plus up to 5 min/s);
      await page.getByLabel("Time zone").fill("America/New_York");
      await expect
        .poll(() => reading(page, "For you:").textContent())
        .toMatch(/1[23]:45/);
      await page.getByRole("switch", { name: "Webhook" }).click();
      await page.getByLabel("Runs a day").fill("3");
      await page.getByRole("button", { name: "Create automation" }).click();
      await heading(page, "Written by hand").waitFor();

      const secret = await page
        .getByRole("textbox", { name: "Webhook secret" })
        .inputValue();
      expect(secret).toMatch(/^[\w-]{43}$/);
      const id = new URL(page.url()).pathname.split("/").at(-1)!;
      const { port } = new URL(page.url());
      await page
        .getByText(`http://127.0.0.1:${port}/api/automations/${id}/fire`, {
          exact: true,
        })
        .waitFor();
      const fired = await bench.kernel.stranger.request(
        "POST",
        `/api/automations/${id}/fire`,
        {
          headers: { authorization: `Bearer ${secret}` },
        },
      );
      expect(fired.status).toBe(200);
      await page
        .getByRole("list", { name: "Runs" })
        .getByText("Webhook")
        .waitFor();
      (await bench.agents.started(bench.agents.runs.length - 1)).finish();
      await page
        .getByRole("list", { name: "Runs" })
        .getByText("Done")
        .waitFor();

      await page.reload();
      await page.getByText("The secret was made").waitFor();
      expect(await page.content()).not.toContain(secret);
      await leave();
    });

    test("what is wrong stands at its field, and the first one gets the focus", async () => {
      const page = await open("/automations/new");
      await page.getByLabel("How often").click();
      await page.getByRole("option", { name: "Custom" }).click();
      await page.getByLabel("Cron line").fill("61 * * * *");
      await page.getByText('"61" is not a minute', { exact: false }).waitFor();
      await page.getByLabel("Runs an hour").fill("0");
      await page.getByText("Write a whole number from 1 to 10,000.").waitFor();
      await page.getByRole("button", { name: "Create automation" }).click();
      await page.getByText("Give it a name.").waitFor();
      await page.getByText("Say what the agent is to do.").waitFor();
      const name = page.getByLabel("Name", { exact: false }).first();
      await expect
        .poll(() => name.evaluate((field) => field.matches(":focus")))
        .toBe(true);
      await page.getByRole("button", { name: "Working hours" }).click();
      await expect.poll(() => reading(page, "Next:").count()).toBe(1);
      visitor.faults.length = 0;
      await leave();
    });

    test("what the daemon refuses stands at its field too", async () => {
      const { refusal } = await import("../support/fake-agents.ts");
      const page = await open("/automations/new");
      await page.getByLabel("Name", { exact: false }).first().fill("Nowhere");
      await page.getByLabel("Prompt").fill("Look.");
      await page.getByLabel("Folder").fill("/not/there");
      bench.agents.refusal = refusal("AGENT_FOLDER_INVALID");
      await page.getByRole("button", { name: "Create automation" }).click();
      await page.getByText("No.", { exact: true }).waitFor();
      expect(await page.getByLabel("Folder").getAttribute("aria-invalid")).toBe(
        "true",
      );
      bench.agents.refusal = undefined;
      await page.getByLabel("Folder").fill("/is/there");
      await page.getByRole("button", { name: "Create automation" }).click();
      await heading(page, "Nowhere").waitFor();
      visitor.faults.length = 0;
      await leave();
    });

    test("changes that are not saved are asked about", async () => {
      const { id } = await bench.create({ name: "Half written" });
      const page = await open(`/automations/${id}/edit`);
      await page.getByLabel("Prompt").fill("Something else.");
      await page.getByText("Not saved yet").waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Stay" }).click();
      expect(await page.getByLabel("Prompt").inputValue()).toBe(
        "Something else.",
      );
      await page.keyboard.press("Control+s");
      await heading(page, "Half written").waitFor();
      await page.getByText("Something else.").waitFor();
      await page.getByRole("link", { name: "Edit" }).click();
      await page.getByLabel("Prompt").fill("Never.");
      await page.getByRole("link", { name: "Back to the automation" }).click();
      await page.getByRole("button", { name: "Leave" }).click();
      await page.getByText("Something else.").waitFor();
      await leave();
    });

    test("a change that another one overtook is not lost, and overwrites nothing", async () => {
      const { id } = await bench.create({ name: "Overtaken" });
      const page = await open(`/automations/${id}/edit`);
      await page.getByLabel("Prompt").fill("Mine.");
      await bench.kernel.api.patch(`/api/automations/${id}`, {
        prompt: "Theirs.",
      });
      await page.getByRole("button", { name: "Save" }).click();
      await page
        .getByRole("alert")
        .getByText(/revision 2/)
        .waitFor();
      expect(await page.getByLabel("Prompt").inputValue()).toBe("Mine.");
      visitor.faults.length = 0;
      await leave();
    });

    test("the list switches, runs and says why", async () => {
      const { id } = await bench.create({
        name: "From the list",
        schedules: [
          { frequency: "weekdays", time: "09:00", timeZone: "Europe/Berlin" },
        ],
      });
      const page = await open("/automations");
      const line = row(page, "From the list");
      await line.getByText("Weekdays at 09:00").waitFor();
      await line.getByText("Never ran").last().waitFor();
      await line.getByRole("switch").click();
      await line.getByText("Off").last().waitFor();
      expect(
        (await bench.kernel.api.get(`/api/automations/${id}`)).body,
      ).toMatchObject({ enabled: false });
      await line.getByRole("button", { name: "Run From the list now" }).click();
      await line.getByText("Running").last().waitFor();
      (await bench.agents.started(bench.agents.runs.length - 1)).finish();
      await line.getByRole("button", { name: /^Done : why/ }).click();
      await page
        .getByText(
          "The automation is switched off, which does not matter to a run by hand.",
        )
        .waitFor();
      await leave();
    });

    test("a run unfolds to its message, its reasons and its agent, by keyboard", async () => {
      const { id, agentId } = await bench.create({
        name: "Unfolds",
        limits: { maxRunsPerDay: 4 },
      });
      bench.agents.answer = () => ({
        message: "# Found\n\n<img src=x onerror=alert(1)> **two** things",
        usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.1234 },
      });
      const page = await open(`/automations/${id}`);
      await heading(page, "Unfolds").waitFor();
      await page.keyboard.press("r");
      await page
        .getByRole("list", { name: "Runs" })
        .getByText("Done")
        .waitFor();
      bench.agents.answer = undefined;
      await page.getByRole("button", { name: /^Run 1/ }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Found" }).waitFor();
      await page.getByText("<img src=x onerror=alert(1)>").waitFor();
      await page.getByText("0 of 4 in the last day").waitFor();
      await page.getByText("cost $0.12", { exact: true }).waitFor();
      const link = page.getByRole("link", { name: "Open the agent" });
      expect(await link.getAttribute("href")).toBe(`/agents/${agentId}`);
      await leave();
    });

    test("a new secret is asked about, and the old one is dead", async () => {
      const { id } = await bench.create({ name: "Secretive", webhook: true });
      const page = await open(`/automations/${id}`);
      await page.getByText("The secret was made").waitFor();
      await page.getByRole("button", { name: "New secret" }).click();
      await page.getByRole("button", { name: "Make a new secret" }).click();
      const secret = await page
        .getByRole("textbox", { name: "Webhook secret" })
        .inputValue();
      const headers = { authorization: `Bearer ${secret}` };
      const answer = await bench.kernel.stranger.request(
        "POST",
        `/api/automations/${id}/fire`,
        { headers },
      );
      expect(answer.status).toBe(200);
      await page.getByRole("button", { name: "I have kept it" }).click();
      await page.getByText("The secret was made").waitFor();
      await leave();
    });

    test("the palette runs an automation, the home page shows what comes next", async () => {
      await bench.create({
        name: "Palette one",
        schedules: [
          { frequency: "custom", cron: "* * * * *", timeZone: "UTC" },
        ],
      });
      const page = await open("/");
      await page
        .getByRole("list", { name: "Next runs" })
        .getByText("Palette one")
        .waitFor();
      const count = bench.agents.runs.length;
      await page.keyboard.press("Control+k");
      await page
        .getByPlaceholder("Search or type a command")
        .fill("run palette");
      await page.getByRole("option", { name: /Run Palette one/ }).click();
      await bench.agents.started(count);
      await page.getByText('"Palette one" has started').waitFor();
      await leave();
    });

    test("deleting is asked about, and leads back to the list", async () => {
      const { id } = await bench.create({ name: "Short lived" });
      const page = await open(`/automations/${id}`);
      await page.getByRole("button", { name: "Delete" }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: "Delete" })
        .click();
      await heading(page, "Automations").waitFor();
      await expect.poll(() => row(page, "Short lived").count()).toBe(0);
      // The page that is being left may ask once more for what is gone.
      visitor.faults.length = 0;
      await leave();
    });

    test("hostile names and prompts are text everywhere", async () => {
      const name = '<img src=x onerror="window.hit=1">';
      const { id } = await bench.create({
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
      for (const path of [
        "/automations",
        `/automations/${id}`,
        `/automations/${id}/edit`,
        "/",
      ]) {
        const page = await open(path);
        await page.getByText(name).first().waitFor();
        expect(await page.evaluate("window.hit")).toBeUndefined();
        await leave();
      }
    });

    test.each([
      ["a desk, light", { ...DESK, colorScheme: "light" }],
      ["a phone, dark", { ...PHONE, colorScheme: "dark" }],
    ])(
      "on %s axe finds nothing serious, and nothing sticks out",
      async (_, options) => {
        const { id } = await bench.create({
          name: "For everybody",
          webhook: true,
          schedules: [
            {
              frequency: "daily",
              time: "09:00",
              timeZone: "America/New_York",
              label: "In the morning",
            },
            { frequency: "custom", cron: "*/15 9-17 * * 1-5", timeZone: "UTC" },
          ],
        });
        bench.agents.answer = () => ({
          failure: "agent-error",
          message: "It did not go well.",
        });
        await bench.kernel.api.post(`/api/automations/${id}/run`);
        bench.agents.answer = undefined;
        for (const [path, ready] of [
          ["/automations", "For everybody"],
          [`/automations/${id}`, "offset"],
          [`/automations/${id}/edit`, "Next:"],
          ["/automations/new", "Next:"],
        ] as const) {
          const page = await open(path, options);
          await page.getByText(ready).first().waitFor();
          if (path === `/automations/${id}`)
            await page.getByRole("button", { name: /^Run 1/ }).click();
          const { violations } = await new AxeBuilder({ page }).analyze();
          const serious = violations.filter(
            ({ impact }) => impact === "serious" || impact === "critical",
          );
          expect(
            serious.map(({ id: rule, nodes }) => [
              rule,
              nodes.map((node) => node.html),
            ]),
            path,
          ).toEqual([]);
          const overflow = await page.evaluate(
            "document.documentElement.scrollWidth - window.innerWidth",
          );
          expect(overflow, path).toBeLessThanOrEqual(0);
          await leave();
        }
      },
    );
  },
);
