import { findBarriers } from "@gantry/ui-kit/testing";
import { describe, expect, test } from "vitest";
import { dialog, row } from "./support/parts.ts";
import type { Stage } from "./support/stage.ts";

interface Task {
  payload: { message: string };
}

export function trySending(given: () => Stage): void {
  describe("sending", () => {
    test(
      "a dialog asks for the blanks, refuses what is wrong at its field, and sends",
      { tags: "thorough" },
      async () => {
        const { kernel, create, createAgent } = given();
        const agentId = await createAgent("Grace");
        await create({
          title: "Ask kindly",
          body: "{{greeting=Hello}} {{agent}} in {{workspace}}: {{question}} {{aside=}}({{tone}})",
          placeholders: [{ name: "tone", enum: ["kind", "short"] }],
        });
        const { page, leave } = await given().open("/snippets");
        await row(page, "Ask kindly").getByRole("link").focus();
        await page.keyboard.press("s");
        const fill = dialog(page, "Ask kindly");
        await fill
          .getByLabel("To", { exact: true })
          .selectOption({ label: "Grace (starts it)" });
        const result = fill.getByRole("region", { name: "Text that is sent" });
        // Reserved values are shown, and there is no field for them.
        await result
          .getByText("Hello Grace in grace: {{question}} ({{tone}})")
          .waitFor();
        expect(await fill.getByRole("textbox", { name: "agent" }).count()).toBe(
          0,
        );
        expect(
          await fill
            .getByRole("textbox", { name: "greeting" })
            .getAttribute("placeholder"),
        ).toBe("Hello");
        expect(
          await fill.getByLabel("tone").locator("option").allTextContents(),
        ).toEqual(["Choose", "kind", "short"]);

        await fill.getByRole("button", { name: "Send" }).click();
        await expect
          .poll(() => fill.getByText("Give a value.").count())
          .toBe(2);
        await expect
          .poll(() =>
            fill
              .getByRole("textbox", { name: "question" })
              .evaluate((field) => field.matches(":focus")),
          )
          .toBe(true);
        await page.keyboard.insertText("{{cwd}}?");
        await fill.getByLabel("tone").selectOption("kind");
        // A value is text: what looks like a placeholder in it is none.
        await result
          .getByText("Hello Grace in grace: {{cwd}}? (kind)")
          .waitFor();
        await fill.getByRole("button", { name: "Send" }).click();
        await page.getByText("Sent to Grace").waitFor();
        const { body } = await kernel.api.get<{ items: Task[] }>(
          `/api/agents/${agentId}/tasks`,
        );
        expect(body.items[0]?.payload.message).toBe(
          "Hello Grace in grace: {{cwd}}? (kind)",
        );
        await leave();
      },
    );

    test(
      "a blank whose name every object has a member of is filled like any other",
      { tags: "thorough" },
      async () => {
        const { kernel, create, createAgent } = given();
        const agentId = await createAgent("Proto");
        const names = [
          "constructor",
          "__proto__",
          "hasOwnProperty",
          "__v_skip",
        ];
        await create({
          title: "Name the members",
          body: `${names.map((name) => `{{${name}}}`).join(" ")} {{toString}}`,
          placeholders: [{ name: "toString", enum: ["string", "text"] }],
        });
        const { page, leave } = await given().open("/snippets");
        await row(page, "Name the members").getByRole("link").focus();
        await page.keyboard.press("s");
        const fill = dialog(page, "Name the members");
        await fill
          .getByLabel("To", { exact: true })
          .selectOption({ label: "Proto (starts it)" });
        for (const name of names)
          expect(await fill.getByRole("textbox", { name }).inputValue()).toBe(
            "",
          );
        await fill.getByRole("button", { name: "Send" }).click();
        await expect
          .poll(() => fill.getByText("Give a value.").count())
          .toBe(5);
        for (const name of names)
          await fill.getByRole("textbox", { name }).fill(`<${name}>`);
        await fill.getByLabel("toString").selectOption("text");
        const text =
          "<constructor> <__proto__> <hasOwnProperty> <__v_skip> text";
        const result = fill.getByRole("region", { name: "Text that is sent" });
        await result.getByText(text).waitFor();
        await fill.getByRole("button", { name: "Send" }).click();
        await page.getByText("Sent to Proto").waitFor();
        const { body } = await kernel.api.get<{ items: Task[] }>(
          `/api/agents/${agentId}/tasks`,
        );
        expect(body.items[0]?.payload.message).toBe(text);
        await leave();
      },
    );

    test("a command stops at one question that names the terminal and shows the exact text", async () => {
      const { kernel, terminals, create } = given();
      const { id } = await create({
        title: "Remove a folder",
        kind: "command",
        body: "rm -rf {{folder=dist}}\u202e && ls",
      });
      const { page, leave, faults } = await given().open(
        `/snippets/${id}?send=1`,
      );
      await dialog(page, "Remove a folder")
        .getByLabel("To", { exact: true })
        .waitFor();
      await page.getByRole("textbox", { name: "folder" }).fill("out");
      const run = page.getByRole("button", { name: "Run in a terminal" });
      await run.click();
      const question = dialog(page, "Run this in build?");
      const exact = question.locator("[data-exact-text]");
      await expect
        .poll(() => exact.textContent())
        .toBe("rm -rf out⟨U+202E⟩ && ls");
      await question.getByText("1 character that cannot be seen").waitFor();
      expect(await findBarriers(page, { within: "[role=dialog]" })).toEqual([]);
      // The first key does nothing by accident.
      await page.keyboard.press("Enter");
      await question.waitFor({ state: "detached" });
      expect(terminals.given).toEqual([]);

      await run.click();
      await question.waitFor();
      await kernel.clock.advance(61_000);
      await question.getByRole("button", { name: "Run" }).click();
      await question.getByText("Look at it once more.").waitFor();
      expect(terminals.given).toEqual([]);
      await question.getByRole("button", { name: "Run" }).click();
      await page.getByText("Sent to build").waitFor();
      expect(terminals.given.map(({ text }) => text)).toEqual([
        "rm -rf out\u202e && ls",
      ]);
      expect(faults.filter((fault) => !fault.includes("409"))).toEqual([]);
      faults.length = 0;
      await leave();
    });

    test(
      "without terminals it says what is missing, also when that is found out late",
      { tags: "thorough" },
      async () => {
        const { id } = await given().create({
          title: "List",
          kind: "command",
          body: "ls",
        });
        const { page, leave, faults } = await given().open(`/snippets/${id}`);
        const send = page.getByRole("button", { name: "Send", exact: true });
        // A page that is being loaded may not be listened in on yet.
        await send.waitFor();
        await page.route("**/api/snips/*/run", (route) =>
          route.fulfill({
            status: 503,
            contentType: "application/problem+json",
            json: {
              type: "about:blank",
              title: "Terminals cannot be reached",
              status: 503,
              code: "SNIPPET_TERMINALS_MISSING",
              detail: 'No plugin "terminals" is active; nothing was sent.',
            },
          }),
        );
        await send.click();
        await page.getByRole("button", { name: "Run in a terminal" }).click();
        await page
          .getByText('No plugin "terminals" is active; nothing was sent.')
          .waitFor();
        await page.route("**/api/plugins?*", async (route) => {
          const { body } = await given().kernel.api.get<{
            items: { id: string }[];
          }>("/api/plugins");
          await route.fulfill({
            json: {
              items: body.items.filter((plugin) => plugin.id !== "terminals"),
              nextCursor: null,
            },
          });
        });
        await page.keyboard.press("Escape");
        await send.click();
        await page.getByText('the plugin "terminals" is not there').waitFor();
        await expect
          .poll(() =>
            page
              .getByRole("button", { name: "Run in a terminal" })
              .isDisabled(),
          )
          .toBe(true);
        expect(faults.filter((fault) => !fault.includes("503"))).toEqual([]);
        faults.length = 0;
        await leave();
      },
    );
  });
}
