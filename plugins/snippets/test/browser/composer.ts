import { findBarriers } from "@gantry/ui-kit/testing";
import { describe, expect, test } from "vitest";
import type { Snippet } from "../../src/contract.ts";
import { composer, dialog, picker } from "./support/parts.ts";
import type { Stage } from "./support/stage.ts";

/** A picture of one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export function tryComposer(given: () => Stage): void {
  describe("beside an agent", () => {
    const open = async () => {
      const agentId = await given().createAgent("Ada");
      const visitor = await given().open(`/agents/${agentId}`);
      await composer(visitor.page).waitFor();
      return { ...visitor, agentId };
    };
    const createStripes = () =>
      given().create({
        title: "Zebra stripes",
        slug: "zebra",
        body: "Count {{what}}",
      });

    test(
      "/snip: opens a list that letters narrow; what is taken is spliced into the draft",
      { tags: "thorough" },
      async () => {
        await createStripes();
        await given().create({
          title: "Zebra crossing",
          slug: "zebra-crossing",
          body: "Cross at {{agent}}",
        });
        await given().create({
          title: "Zebra command",
          kind: "command",
          body: "ls",
        });
        const { page, leave } = await open();
        await composer(page).fill("Before  after");
        await composer(page).press("Home");
        for (let step = 0; step < 7; step += 1)
          await page.keyboard.press("ArrowRight");
        await page.keyboard.type("/snip:");
        await picker(page).getByRole("option").first().waitFor();
        await page.keyboard.type("zeb");
        // A command does not go to an agent.
        await expect
          .poll(() => picker(page).getByRole("option").count())
          .toBe(2);
        expect(await composer(page).getAttribute("aria-activedescendant")).toBe(
          await picker(page)
            .getByRole("option", { selected: true })
            .getAttribute("id"),
        );
        await page.keyboard.press("ArrowDown");
        await picker(page)
          .getByRole("option", { name: /stripes|crossing/, selected: true })
          .waitFor();
        await page.keyboard.press("ArrowUp");
        await page.keyboard.type("ra-");
        await expect
          .poll(() => picker(page).getByRole("option").count())
          .toBe(1);
        // Nothing is asked, so it is there at once, filled from the agent.
        await page.keyboard.press("Enter");
        await expect
          .poll(() => composer(page).inputValue())
          .toBe("Before Cross at Ada after");

        await page.keyboard.type(" /snip:zebra");
        await picker(page)
          .getByRole("option", { name: /stripes/, selected: true })
          .waitFor();
        await page.keyboard.press("Enter");
        await expect
          .poll(() =>
            page
              .getByRole("textbox", { name: "what" })
              .evaluate((field) => field.matches(":focus")),
          )
          .toBe(true);
        await page.keyboard.type("5");
        await page.keyboard.press("Enter");
        await expect
          .poll(() => composer(page).inputValue())
          .toBe("Before Cross at Ada Count 5 after");
        await expect
          .poll(() =>
            composer(page).evaluate((field) => field.matches(":focus")),
          )
          .toBe(true);

        await page.getByRole("button", { name: "Insert a snippet" }).click();
        await picker(page).waitFor();
        await page.keyboard.press("Escape");
        await picker(page).waitFor({ state: "detached" });
        expect(await composer(page).inputValue()).toContain("/snip:");
        await leave();
      },
    );

    test(
      "Send fills and sends, and the pictures beside it go too",
      { tags: "thorough" },
      async () => {
        await createStripes();
        const { page, leave, agentId } = await open();
        await page.getByLabel("Pictures").first().setInputFiles({
          name: "stripes.png",
          mimeType: "image/png",
          buffer: pixel,
        });
        await page
          .getByRole("button", { name: "Remove stripes.png" })
          .waitFor();
        await composer(page).pressSequentially("/snip:zebra");
        await picker(page)
          .getByRole("option", { name: /stripes/, selected: true })
          .waitFor();
        await page.keyboard.press("Tab");
        await page.getByRole("textbox", { name: "what" }).fill("these");
        const [sent] = await Promise.all([
          page.waitForRequest(`**/api/agents/${agentId}/prompt`),
          page.keyboard.press("ControlOrMeta+Enter"),
        ]);
        expect(sent.postDataJSON()).toMatchObject({
          message: "Count these",
          images: [{ mimeType: "image/png", data: pixel.toString("base64") }],
        });
        await page.getByText("practice: Count these").first().waitFor();
        expect(await composer(page).inputValue()).toBe("");
        await leave();
      },
    );

    test(
      "a list of commands that is loaded late leaves the keys to the list of snippets",
      { tags: "thorough" },
      async () => {
        await createStripes();
        const { page, leave } = await open();
        const held = Promise.withResolvers<void>();
        // What a slow machine does: the first letter asks for it, and the snippets are there before it.
        const asked = Promise.withResolvers<string>();
        await page.route(/SlashMenu/, async (route) => {
          asked.resolve(route.request().url());
          await held.promise;
          await route.continue();
        });
        await composer(page).pressSequentially("/snip:zebra");
        await picker(page)
          .getByRole("option", { name: /stripes/, selected: true })
          .waitFor();
        held.resolve();
        await page.evaluate(`import(${JSON.stringify(await asked.promise)})`);
        await page.keyboard.press("Tab");
        await page.getByRole("textbox", { name: "what" }).waitFor();
        await leave();
      },
    );

    test(
      "what the agent cannot fill is said, and nothing is sent",
      { tags: "thorough" },
      async () => {
        await given().create({
          title: "About the branch",
          slug: "branch-talk",
          body: "Say {{word}} about {{branch}}",
        });
        const { page, leave } = await open();
        await composer(page).pressSequentially("/snip:branch-talk");
        await picker(page)
          .getByRole("option", { name: /branch/, selected: true })
          .waitFor();
        await page.keyboard.press("Enter");
        const fill = dialog(page, "About the branch");
        await fill.getByText("Not known there").waitFor();
        await fill.getByRole("textbox", { name: "word" }).fill("something");
        await page.keyboard.press("ControlOrMeta+Enter");
        await fill.getByText("This agent has no branch.").waitFor();
        // By hand it can still be done.
        await fill.getByRole("button", { name: "Insert" }).click();
        await expect
          .poll(() => composer(page).inputValue())
          .toBe("Say something about {{branch}}");
        await leave();
      },
    );

    test(
      "the palette sends to the agent whose page is open, and finds snippets",
      { tags: "thorough" },
      async () => {
        await createStripes();
        const { page, leave } = await open();
        const palette = page.getByPlaceholder("Search or type a command");
        await page.keyboard.press("ControlOrMeta+k");
        await palette.fill("send snippet");
        await page.getByRole("option", { name: "Send snippet" }).click();
        await picker(page).getByRole("option").first().waitFor();
        await expect.poll(() => composer(page).inputValue()).toBe("/snip:");
        await page.keyboard.press("Escape");
        await composer(page).fill("my own words");

        await page.keyboard.press("ControlOrMeta+k");
        await palette.fill("send zebra stripes");
        await page.getByRole("option", { name: /Send Zebra stripes/ }).click();
        const fill = dialog(page, "Zebra stripes");
        await fill.getByRole("textbox", { name: "what" }).fill("once more");
        await fill.getByRole("button", { name: "Send" }).click();
        await page.getByText("practice: Count once more").first().waitFor();
        expect(await composer(page).inputValue()).toBe("my own words");
        await leave();
      },
    );

    test(
      "what is selected in the conversation becomes a snippet, titled by its first words",
      { tags: "thorough" },
      async () => {
        const { page, leave, agentId } = await open();
        await given().kernel.api.post(`/api/agents/${agentId}/prompt`, {
          message: "Count these",
        });
        const said = page.getByText("practice: Count these").first();
        await said.click({ clickCount: 3 });
        await page
          .getByRole("toolbar", { name: "Selected text" })
          .getByRole("button", { name: "Save as a snippet" })
          .waitFor();
        await page.getByRole("region", { name: "Conversation" }).focus();
        await page.keyboard.press("s");
        const save = dialog(page, "Save as a snippet");
        await expect
          .poll(() => save.getByLabel("Title").inputValue())
          .toMatch(/^practice: Count these/);
        expect(await findBarriers(page, { within: "[role=dialog]" })).toEqual(
          [],
        );
        await save.getByLabel("Title").fill("Counted");
        await save.getByRole("button", { name: "Save" }).click();
        await page.getByText("/snip:counted").waitFor();
        const { body } = await given().kernel.api.get<{ items: Snippet[] }>(
          "/api/snips?q=counted",
        );
        expect(body.items[0]).toMatchObject({
          title: "Counted",
          kind: "prompt",
        });
        expect(body.items[0]?.body).toMatch(/^practice: Count these/);
        await leave();
      },
    );

    test(
      "the home page asks for one file of it",
      { tags: "thorough" },
      async () => {
        const { page, leave, asked } = await given().open("/");
        await page.getByRole("heading", { name: "Home" }).waitFor();
        await page.waitForLoadState("load");
        const paths = asked.filter((path) => /snippets|snips/.test(path));
        expect(paths).toEqual([
          expect.stringMatching(/snippets.*\/index\.mjs$/),
        ]);
        await leave();
      },
    );
  });
}
