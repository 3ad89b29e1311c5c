import { describe, expect, test } from "vitest";
import { refusal } from "../support/fake-agents.ts";
import type { Automation } from "../../ui/wire.ts";
import { heading, nameField, reading, runs } from "../support/visits.ts";
import type { Visits } from "../support/visits.ts";

export function tryEditor(visits: Visits): void {
  describe("the editor", () => {
    test("an automation is written with a live reading, saved, and shows its secret once", async () => {
      const page = await visits.open("/automations");
      await page.getByRole("link", { name: "New automation" }).first().click();
      await nameField(page).fill("Written by hand");
      await page.getByLabel("Prompt").fill("Say what is new.");
      const zone = page.getByLabel("Time zone");
      // The zone of the browser is saved with the rule.
      expect(await zone.inputValue()).toBe("Europe/Berlin");
      await page.getByLabel("Time", { exact: true }).fill("07:45");
      await expect
        .poll(() => reading(page, "Next:").textContent())
        .toMatch(/07:45.*plus up to 5 min/s);
      await zone.fill("America/New_York");
      const offered = 'datalist option[value="Pacific/Chatham"]';
      expect(await page.locator(offered).count()).toBe(1);
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
      const path = `/api/automations/${id}/fire`;
      await page
        .getByText(`http://127.0.0.1:${port}${path}`, { exact: true })
        .waitFor();
      await page.getByRole("button", { name: "Copy address" }).waitFor();
      await page.getByText("curl -X POST").waitFor();
      const fired = await visits.bench.kernel.stranger.request("POST", path, {
        headers: { authorization: `Bearer ${secret}` },
      });
      expect(fired.status).toBe(200);
      await runs(page).getByText("Webhook").waitFor();
      (await visits.nextRun()).finish();
      await runs(page).getByText("Done").waitFor();

      await page.reload();
      await page.getByText("The secret was made").waitFor();
      expect(await page.content()).not.toContain(secret);
      await visits.leave();
    });

    test(
      "an automation with a webhook is whole after the one request that creates it",
      { tags: "thorough" },
      async () => {
        const page = await visits.open("/automations/new");
        await page.route("**/api/automations/*/secret", (route) =>
          route.abort(),
        );
        const changes: string[] = [];
        page.on("request", (request) => {
          const isRead =
            request.method() === "GET" || request.url().endsWith("/preview");
          if (!isRead) changes.push(new URL(request.url()).pathname);
        });
        await nameField(page).fill("In one piece");
        await page.getByLabel("Prompt").fill("Say what is new.");
        await page.getByRole("switch", { name: "Webhook" }).click();
        await page.getByRole("button", { name: "Create automation" }).click();
        await heading(page, "In one piece").waitFor();
        const id = new URL(page.url()).pathname.split("/").at(-1)!;
        expect(changes).toEqual([
          "/api/automations",
          `/api/automations/${id}/secret`,
        ]);
        const path = `/api/automations/${id}`;
        const { api } = visits.bench.kernel;
        expect((await api.get<Automation>(path)).body.webhook).toBe(true);
        await page.getByText("The secret was made").waitFor();
        visits.forgive();
        await visits.leave();
      },
    );

    test(
      "a template fills in the form, and replaces nothing unasked",
      { tags: "thorough" },
      async () => {
        const page = await visits.open("/automations/new");
        const templates = page
          .getByRole("list", { name: "Templates" })
          .getByRole("button");
        await templates.first().waitFor();
        expect(await templates.count()).toBe(7);
        await page.getByRole("button", { name: "Quality" }).click();
        expect(await templates.count()).toBe(2);
        await page.getByLabel("Folder").fill("/home/me/project");
        await templates.filter({ hasText: "Nightly tests" }).click();
        expect(await nameField(page).inputValue()).toBe("Nightly tests");
        const prompt = page.getByLabel("Prompt");
        expect(await prompt.inputValue()).toContain("Only report.");
        expect(await page.getByLabel("Folder").inputValue()).toBe(
          "/home/me/project",
        );
        await expect
          .poll(() => reading(page, "Next:").textContent())
          .toMatch(/02:30/);
        expect(await page.getByLabel("Cost of a run").inputValue()).toBe("3");
        await page.getByText("Filled in from").waitFor();
        await prompt.fill("My own words.");
        await page.getByRole("button", { name: "Choose another" }).click();
        await templates.filter({ hasText: "Docs drift" }).click();
        await page.getByRole("button", { name: "Keep mine" }).click();
        expect(await prompt.inputValue()).toBe("My own words.");
        await templates.filter({ hasText: "Docs drift" }).click();
        await page.getByRole("button", { name: "Replace" }).click();
        await expect.poll(() => prompt.inputValue()).toContain("documentation");
        await page.getByRole("button", { name: "Create automation" }).click();
        await heading(page, "Docs drift").waitFor();
        await visits.leave();
      },
    );

    test(
      "a duplicate is written like the first, and is another one",
      { tags: "thorough" },
      async () => {
        const { bench } = visits;
        const { id } = await bench.create({
          name: "Twice",
          prompt: "Look at the tests.",
          webhook: true,
          limits: { maxRunsPerDay: 4 },
          schedules: [{ frequency: "daily", time: "07:00", timeZone: "UTC" }],
        });
        const page = await visits.open(`/automations/${id}`);
        await heading(page, "Twice").waitFor();
        await page.keyboard.press("d");
        await heading(page, "Duplicate Twice").waitFor();
        expect(await nameField(page).inputValue()).toBe("Twice (copy)");
        expect(await page.getByLabel("Runs a day").inputValue()).toBe("4");
        await page.getByRole("button", { name: "Create automation" }).click();
        await heading(page, "Twice (copy)").waitFor();
        await page.getByRole("textbox", { name: "Webhook secret" }).waitFor();
        const copyId = new URL(page.url()).pathname.split("/").at(-1)!;
        expect(copyId).not.toBe(id);
        const path = "/api/automations/";
        const { body: first } = await bench.kernel.api.get<Automation>(
          path + id,
        );
        const { body: copy } = await bench.kernel.api.get<Automation>(
          path + copyId,
        );
        const timesOf = ({ schedules }: Automation) =>
          schedules.map(({ frequency, time, timeZone }) => ({
            frequency,
            time,
            timeZone,
          }));
        expect(timesOf(copy)).toEqual(timesOf(first));
        expect(copy.schedules.map((one) => one.id)).not.toEqual(
          first.schedules.map((one) => one.id),
        );
        expect(copy).toMatchObject({
          enabled: false,
          prompt: first.prompt,
          limits: first.limits,
        });
        expect(copy.agentId).not.toBe(first.agentId);
        await visits.leave();
      },
    );

    test(
      "a message goes to one of the user's own agents",
      { tags: "thorough" },
      async () => {
        const page = await visits.open("/automations/new");
        await nameField(page).fill("Ask the helper");
        await page.getByLabel("Prompt").fill("How far are you?");
        await page.getByRole("radio", { name: /^Message an agent/ }).click();
        expect(await page.getByLabel("Folder").count()).toBe(0);
        await page.getByRole("button", { name: "Create automation" }).click();
        await page.getByText("Choose the agent that gets").waitFor();
        await page.getByLabel("Agent", { exact: false }).last().click();
        const offered = page.getByRole("option");
        await offered.first().waitFor();
        expect(await offered.count()).toBe(1);
        await offered.filter({ hasText: "Helper" }).click();
        await page.getByRole("button", { name: "Create automation" }).click();
        await heading(page, "Ask the helper").waitFor();
        await page.getByRole("link", { name: "Helper" }).waitFor();
        await page.getByRole("button", { name: "Run now" }).click();
        const run = await visits.nextRun();
        expect(run.input.freshSession).toBe(false);
        run.finish({ message: "Half way." });
        await runs(page).getByText("Done").waitFor();
        await visits.leave();
      },
    );

    test(
      "what is wrong stands at its field, and the first one gets the focus",
      { tags: "thorough" },
      async () => {
        const page = await visits.open("/automations/new");
        await page.getByLabel("How often").click();
        await page.getByRole("option", { name: "Custom" }).click();
        await page.getByLabel("Cron line").fill("61 * * * *");
        await page
          .getByText('"61" is not a minute', { exact: false })
          .waitFor();
        await page.getByLabel("Runs an hour").fill("0");
        await page
          .getByText("Write a whole number from 1 to 10,000.")
          .waitFor();
        await page.getByRole("button", { name: "Create automation" }).click();
        await page.getByText("Give it a name.").waitFor();
        await page.getByText("Say what the agent is to do.").waitFor();
        await expect
          .poll(() => nameField(page).evaluate((one) => one.matches(":focus")))
          .toBe(true);
        await page.getByRole("button", { name: "Working hours" }).click();
        await expect.poll(() => reading(page, "Next:").count()).toBe(1);
        const preview = "**/api/automations/preview";
        await page.route(preview, (route) => route.abort());
        await page.getByRole("button", { name: "Every 2 hours" }).click();
        await page.getByText("When it fires could not be read").waitFor();
        await page.unroute(preview);
        await page.getByRole("button", { name: "Every 15 minutes" }).click();
        await expect.poll(() => reading(page, "Next:").count()).toBe(1);
        visits.forgive();
        await visits.leave();
      },
    );

    test(
      "a cost cap that cannot work with an agent CLI says so",
      { tags: "thorough" },
      async () => {
        const page = await visits.open("/automations/new");
        await page.getByText("A run that spends more is stopped").waitFor();
        await page.getByLabel("Agent CLI").click();
        await page.getByRole("option", { name: "OpenCode" }).click();
        await page
          .getByText(
            "OpenCode reports no cost, so this cap cannot work with it.",
          )
          .waitFor();
        expect(await page.getByLabel("Model").count()).toBe(0);
        await page.getByLabel("Agent CLI").click();
        await page.getByRole("option", { name: "Codex" }).click();
        await page.getByText("codex is not on the PATH.").waitFor();
        await visits.leave();
      },
    );

    test(
      "a run that only reports is said to fail with a CLI that does not ask",
      { tags: "thorough" },
      async () => {
        const page = await visits.open("/automations/new");
        await page.getByLabel("What it may do without asking").click();
        await page
          .getByRole("option", { name: "Only read and report" })
          .click();
        await page.getByText("Commands and tools that only read").waitFor();
        await page.getByLabel("Agent CLI").click();
        await page.getByRole("option", { name: "OpenCode" }).click();
        await page
          .getByText("OpenCode does not ask before it changes something")
          .waitFor();
        await visits.leave();
      },
    );

    test(
      "what the daemon refuses stands at its field too",
      { tags: "thorough" },
      async () => {
        const { agents } = visits.bench;
        const page = await visits.open("/automations/new");
        await nameField(page).fill("Nowhere");
        await page.getByLabel("Prompt").fill("Look.");
        const folder = page.getByLabel("Folder");
        await folder.fill("/not/there");
        agents.refusal = refusal("AGENT_FOLDER_INVALID");
        await page.getByRole("button", { name: "Create automation" }).click();
        await page.getByText("No.", { exact: true }).waitFor();
        expect(await folder.getAttribute("aria-invalid")).toBe("true");
        agents.refusal = undefined;
        await folder.fill("/is/there");
        await page.getByRole("button", { name: "Create automation" }).click();
        await heading(page, "Nowhere").waitFor();
        visits.forgive();
        await visits.leave();
      },
    );

    test(
      "changes that are not saved are asked about",
      { tags: "thorough" },
      async () => {
        const { id } = await visits.bench.create({
          name: "Half written",
          webhook: true,
        });
        const page = await visits.open(`/automations/${id}/edit`);
        const prompt = page.getByLabel("Prompt");
        await prompt.fill("Something else.");
        await page.getByText("Not saved yet").waitFor();
        await page.getByRole("switch", { name: "Webhook" }).click();
        await page.getByText("its secret is permanently invalid").waitFor();
        await page.getByRole("switch", { name: "Webhook" }).click();
        await page.getByRole("button", { name: "Cancel" }).click();
        await page.getByRole("button", { name: "Stay" }).click();
        expect(await prompt.inputValue()).toBe("Something else.");
        await page.keyboard.press("Control+s");
        await heading(page, "Half written").waitFor();
        await page.getByText("Something else.").waitFor();
        await page.getByRole("link", { name: "Edit" }).click();
        await prompt.fill("Never.");
        await page
          .getByRole("link", { name: "Back to the automation" })
          .click();
        await page.getByRole("button", { name: "Leave" }).click();
        await page.getByText("Something else.").waitFor();
        await visits.leave();
      },
    );

    test(
      "a change that another one overtook is not lost, and overwrites only what it is about",
      { tags: "thorough" },
      async () => {
        const { id } = await visits.bench.create({ name: "Overtaken" });
        const path = `/api/automations/${id}`;
        const page = await visits.open(`/automations/${id}/edit`, "phone");
        await page.getByLabel("Prompt").fill("Mine.");
        const { api } = visits.bench.kernel;
        await api.patch(path, { prompt: "Theirs.", model: "theirs" });
        await page.getByRole("button", { name: "Save" }).click();
        const problem = page.getByRole("alert").getByText(/revision 2/);
        await problem.waitFor();
        // It stands at the end of a long form, and comes into sight by itself.
        await expect
          .poll(() =>
            problem.evaluate((one) => one.getBoundingClientRect().top),
          )
          .toBeLessThan(700);
        expect(await page.getByLabel("Prompt").inputValue()).toBe("Mine.");
        expect((await api.get(path)).body).toMatchObject({ prompt: "Theirs." });
        await page.getByRole("button", { name: "Save mine anyway" }).click();
        await heading(page, "Overtaken").waitFor();
        expect((await api.get(path)).body).toMatchObject({
          prompt: "Mine.",
          model: "theirs",
        });
        visits.forgive();
        await visits.leave();
      },
    );
  });
}
