import { findBarriers } from "@gantry/ui-kit/testing";
import { describe, expect, test } from "vitest";
import type { Snippet } from "../../src/contract.ts";
import { body, dialog, pathOf, write } from "./support/parts.ts";
import type { Stage } from "./support/stage.ts";

export function tryEditor(given: () => Stage): void {
  const read = async (id: string) =>
    (await given().kernel.api.get<Snippet>(`/api/snips/${id}`)).body;

  describe("the editor", () => {
    test("makes a snippet: slug of the title, marks, table, preview, Ctrl+S", async () => {
      const { page, leave } = await given().open("/snippets/new");
      await page.getByLabel("Title").fill("Größe prüfen");
      await expect
        .poll(() => page.getByLabel("Slug").inputValue())
        .toBe("gro-e-prufen");
      await page.getByText("/snip:gro-e-prufen").waitFor();
      await page.getByLabel("Slug").fill("Size");
      await page.getByText("/snip:size", { exact: true }).waitFor();
      await page.getByLabel("Title").fill("Check the size");
      expect(await page.getByLabel("Slug").inputValue()).toBe("Size");
      await page.getByText("Command", { exact: true }).click();
      await page.getByText("Sent to a terminal, always after one").waitFor();
      await page.getByText("Prompt", { exact: true }).click();
      await page.getByText("Sent to an agent: write").waitFor();
      await page.getByLabel("Tags").fill("files");
      await page.keyboard.press("Enter");

      await write(page, "Check {{what}} in {{cwd}}, {{what}} again, {{how=}}.");
      await expect
        .poll(() => page.locator(".cm-snippet-asked").allTextContents())
        .toEqual(["{{what}}", "{{what}}"]);
      expect(await page.locator(".cm-snippet-reserved").count()).toBe(1);
      expect(await page.locator(".cm-snippet-standard").textContent()).toBe(
        "{{how=}}",
      );
      const preview = page.getByRole("region", { name: "Preview of the text" });
      await preview.getByText("Check what in /home/ada/code/shop").waitFor();

      // The table writes back into the text, at each use.
      await page.getByLabel("Default of what").fill("links");
      await expect
        .poll(() => body(page).textContent())
        .toContain("Check {{what=links}} in {{cwd}}, {{what=links}} again");
      await page.getByLabel("Default of what").fill("a}}b");
      await page.getByText("A default cannot contain }}.").waitFor();
      await page.getByLabel("Default of what").fill("");
      await expect
        .poll(() => body(page).textContent())
        .toContain("Check {{what}} in");
      await page.getByLabel("what may be skipped").check();
      await expect
        .poll(() => body(page).textContent())
        .toContain("Check {{what=}} in");
      await page.getByLabel("what may be skipped").uncheck();
      await page.getByLabel("Default of how").fill("soon");
      await page.getByLabel("Allowed values of how").fill("fast, slow");
      await page
        .getByText('The default "soon" is not one of the allowed values.')
        .waitFor();
      await page.getByLabel("Default of how").fill("slow");
      await preview.getByText("slow").waitFor();

      await page.keyboard.press("ControlOrMeta+s");
      await expect.poll(() => pathOf(page)).toMatch(/^\/snippets\/snp_/);
      expect(await read(pathOf(page).split("/").at(-1) ?? "")).toMatchObject({
        title: "Check the size",
        slug: "size",
        kind: "prompt",
        tags: ["files"],
        body: "Check {{what}} in {{cwd}}, {{what}} again, {{how=slow}}.",
        placeholders: [
          { name: "what", default: null, optional: false },
          { name: "cwd", reserved: true },
          { name: "how", default: "slow", enum: ["fast", "slow"] },
        ],
      });
      await leave();
    });

    test(
      "allowed values are kept for a name that every object has a member of",
      { tags: "thorough" },
      async () => {
        const names = ["__proto__", "hasOwnProperty", "__v_raw"];
        const { page, leave } = await given().open("/snippets/new");
        await page.getByLabel("Title").fill("Members");
        await write(page, names.map((name) => `{{${name}}}`).join(" "));
        const valuesOf = (name: string) =>
          page.getByLabel(`Allowed values of ${name}`);
        for (const name of names) {
          expect(await valuesOf(name).inputValue()).toBe("");
          await valuesOf(name).fill(`one, ${name}`);
        }
        await page
          .getByRole("region", { name: "Preview of the text" })
          .getByText("one one one")
          .waitFor();
        // What is written survives the page that it was written on.
        await expect
          .poll(() =>
            page.evaluate(() =>
              localStorage.getItem("gantry-snippets-draft-new"),
            ),
          )
          .toContain("one, __v_raw");
        await page.reload();
        await page.getByLabel("Title").waitFor();
        for (const name of names)
          await expect
            .poll(() => valuesOf(name).inputValue())
            .toBe(`one, ${name}`);
        await page.keyboard.press("ControlOrMeta+s");
        await expect.poll(() => pathOf(page)).toMatch(/^\/snippets\/snp_/);
        const saved = await read(pathOf(page).split("/").at(-1) ?? "");
        expect(
          saved.placeholders.map(({ name, enum: values }) => [name, values]),
        ).toEqual(names.map((name) => [name, ["one", name]]));
        await leave();
      },
    );

    test(
      "a slug that is taken names its owner and blocks, never itself",
      { tags: "thorough" },
      async () => {
        const { id } = await given().create({
          title: "Owner",
          slug: "mine",
          body: "x",
        });
        const { page, leave } = await given().open("/snippets/new");
        await page.getByLabel("Title").fill("Mine");
        const owner = page.getByRole("link", { name: "Owner" });
        await owner.waitFor();
        expect(await owner.getAttribute("href")).toBe(`/snippets/${id}`);
        await write(page, "text");
        await page.getByRole("button", { name: "Create" }).click();
        expect(pathOf(page)).toBe("/snippets/new");
        await page.getByRole("button", { name: "Take mine-2" }).click();
        await page.getByText("/snip:mine-2", { exact: true }).waitFor();
        await page.getByRole("button", { name: "Create" }).click();
        await expect.poll(() => pathOf(page)).toMatch(/snp_/);
        // Its own slug is free to it.
        await page.getByText("/snip:mine-2", { exact: true }).waitFor();
        await page.getByLabel("Slug").fill("mine");
        await owner.waitFor();
        const before = await read(pathOf(page).split("/").at(-1) ?? "");
        await page.keyboard.press("ControlOrMeta+s");
        expect(await read(before.id)).toEqual(before);
        await page.getByRole("button", { name: "Discard" }).click();
        await leave();
      },
    );

    test(
      "a broken placeholder is underlined, said with its place, and blocks",
      { tags: "thorough" },
      async () => {
        const { page, leave } = await given().open("/snippets/new");
        await page.getByLabel("Title").fill("Broken");
        await write(page, "One {{fine}}\nTwo {{ broken }}\nThree {{open");
        await expect
          .poll(() => page.locator(".cm-snippet-problem").count())
          .toBe(2);
        await page.getByText("Line 2, column 7").waitFor();
        const open = page.getByRole("button", { name: /Line 3, column 7/ });
        expect(await open.textContent()).toContain("{{open is not closed");
        expect(await body(page).getAttribute("aria-invalid")).toBe("true");
        await page.getByRole("button", { name: "Create" }).click();
        expect(pathOf(page)).toBe("/snippets/new");
        // A press on what is wrong leads to its place: what is typed replaces it.
        await open.click();
        await page.keyboard.insertText("{{open}}");
        await page.getByText("Line 3").waitFor({ state: "detached" });
        await page.getByRole("button", { name: "Discard" }).click();
        await leave();
      },
    );

    test(
      "a draft is kept while typing, and cleared when it is discarded or saved; leaving asks",
      { tags: "thorough" },
      async () => {
        const { page, leave } = await given().open("/snippets/new");
        const stored = () =>
          page.evaluate("localStorage.getItem('gantry-snippets-draft-new')");
        page.on("dialog", (asked) => void asked.accept());
        await page.getByLabel("Title").fill("Half a thought");
        await write(page, "unfinished {{");
        await expect.poll(stored).toContain("unfinished {{");
        await page.reload();
        await page
          .getByText("This is your draft that was not saved.")
          .waitFor();
        await expect.poll(() => body(page).textContent()).toBe("unfinished {{");

        await page.getByRole("link", { name: "Back to the snippets" }).click();
        await dialog(page, "Leave without saving?")
          .getByRole("button", { name: "Stay" })
          .click();
        expect(pathOf(page)).toBe("/snippets/new");
        await page.getByRole("link", { name: "Back to the snippets" }).click();
        await dialog(page, "Leave without saving?")
          .getByRole("button", { name: "Leave" })
          .click();
        await page.waitForURL(/snippets$/);
        await page.getByRole("link", { name: "New snippet" }).first().click();
        await page.getByRole("button", { name: "Discard draft" }).click();
        await expect.poll(stored).toBeNull();
        expect(await page.getByLabel("Title").inputValue()).toBe("");

        await page.getByLabel("Title").fill("A whole thought");
        await write(page, "finished");
        await expect.poll(stored).toContain("finished");
        await page.keyboard.press("ControlOrMeta+s");
        await expect.poll(() => pathOf(page)).toMatch(/snp_/);
        expect(await stored()).toBeNull();
        await leave();
      },
    );

    test(
      "what was changed elsewhere is said, and neither side is lost by accident",
      { tags: "thorough" },
      async () => {
        const { id } = await given().create({ title: "Shared", body: "first" });
        const { page, leave, faults } = await given().open(`/snippets/${id}`);
        const change = (text: string) =>
          given().kernel.api.patch(`/api/snips/${id}`, { body: text });
        await write(page, "mine");
        await change("theirs");
        await page.keyboard.press("ControlOrMeta+s");
        await page.getByText("This snippet was changed elsewhere").waitFor();
        expect((await read(id)).body).toBe("theirs");
        await page.getByRole("button", { name: "Save mine" }).click();
        await expect.poll(async () => (await read(id)).body).toBe("mine");
        await page
          .getByText("This snippet was changed elsewhere")
          .waitFor({ state: "detached" });

        await write(page, "mine again");
        await change("theirs again");
        await page.keyboard.press("ControlOrMeta+s");
        await page.getByRole("button", { name: "Take what is there" }).click();
        await expect.poll(() => body(page).textContent()).toBe("theirs again");

        // What is typed while it is saved is neither lost nor taken for saved.
        await write(page, "sent");
        let release = () => {};
        const hold = new Promise<void>((resolve) => (release = resolve));
        await page.route(
          (url) => url.pathname === `/api/snips/${id}`,
          async (route) => {
            await hold;
            await route.continue();
          },
        );
        await page.keyboard.press("ControlOrMeta+s");
        await page.keyboard.type(" and more");
        release();
        await expect.poll(async () => (await read(id)).body).toBe("sent");
        await page.getByText("Not saved").waitFor();
        await expect.poll(() => body(page).textContent()).toBe("sent and more");
        await page.getByRole("button", { name: "Discard" }).click();
        await expect.poll(() => body(page).textContent()).toBe("sent");
        // The browser itself logs each refusal.
        expect(faults.filter((fault) => !fault.includes("412"))).toEqual([]);
        faults.length = 0;
        await leave();
      },
    );

    test(
      "a raw prompt is imported with the conversions that are left on",
      { tags: "thorough" },
      async () => {
        const { page, leave } = await given().open("/snippets?import=1");
        const box = page.getByRole("textbox", { name: "Prompt to import" });
        await box.fill(
          "Answer [CUSTOMER NAME] about ORDER_NUMBER and KEEP_THIS. Greet [CUSTOMER NAME].",
        );
        const result = page.getByRole("region", {
          name: "Preview of the snippet",
        });
        await result.getByText("{{keep_this}}").waitFor();
        await page
          .getByRole("switch", { name: "Make KEEP_THIS a blank" })
          .click();
        await result.getByText("KEEP_THIS").waitFor();
        expect(await findBarriers(page, { within: "[role=dialog]" })).toEqual(
          [],
        );
        await page.getByRole("button", { name: "Continue" }).click();
        await expect
          .poll(() => body(page).textContent())
          .toBe(
            "Answer {{customer_name}} about {{order_number}} and KEEP_THIS. Greet {{customer_name}}.",
          );
        expect(await page.getByLabel("Title").inputValue()).toMatch(
          /^Answer \[CUSTOMER NAME\]/,
        );
        await page.getByRole("button", { name: "Discard" }).click();
        await leave();
      },
    );
  });
}
