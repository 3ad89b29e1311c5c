import { describe, expect, test } from "vitest";
import { refuse } from "./support/demo.ts";
import { form } from "./support/gallery.ts";
import type { Stage } from "./support/stage.ts";

export function tryForms(given: () => Stage): void {
  describe("forms", () => {
    test(
      "checks before sending, keeps what was typed when it fails, and never a secret afterwards",
      { tags: "thorough" },
      async () => {
        const { demo } = given();
        let title = "Shop";
        demo.show("form", () => ({
          title: "Form",
          blocks: [
            {
              ...form,
              fields:
                form.type === "form"
                  ? form.fields.map((field) =>
                      field.name === "title"
                        ? { ...field, value: title }
                        : field,
                    )
                  : [],
            } as typeof form,
          ],
        }));
        demo.on("save", () => {
          throw refuse("The title is taken.");
        });
        const { page, leave, faults } = await given().open(
          "/apps/demo?path=form",
        );
        const save = page.getByRole("button", { name: "Save settings" });
        const field = (name: string) => page.getByLabel(name, { exact: true });
        await field("Title*").or(field("Title")).first().fill("  ");
        await field("Limit*").or(field("Limit")).first().fill("200");
        await field("Folder").fill("relative/path");
        const before = demo.acted.length;
        await save.click();
        await page.getByText("Enter a value.").waitFor();
        await page.getByText("Enter a number from 1 to 100.").waitFor();
        await page.getByText("Choose a value.").waitFor();
        await page.getByText("Enter a full path.").waitFor();
        expect(demo.acted).toHaveLength(before);
        await expect
          .poll(() => page.locator(":focus").getAttribute("aria-invalid"))
          .toBe("true");

        await page.getByRole("textbox", { name: "Title" }).fill("Store");
        await page.getByRole("spinbutton", { name: "Limit" }).fill("20");
        await page.getByLabel("Level").selectOption("High");
        await field("Folder").fill("/home/ada/shop");
        await field("Token").fill("s3cret");
        await page.getByRole("switch", { name: "Enabled" }).click();
        await save.click();
        await page.getByText(/The title is taken\./).waitFor();
        expect(demo.acted.at(-1)?.args).toEqual({
          values: {
            title: "Store",
            notes: "",
            limit: 20,
            level: "high",
            folder: "/home/ada/shop",
            token: "s3cret",
            enabled: false,
          },
        });
        expect(await field("Token").inputValue()).toBe("s3cret");
        demo.on("save", ({ args }) => {
          ({ title } = args["values"] as { title: string });
          return { toast: { text: "Saved" } };
        });
        await save.click();
        await page.getByText("Saved", { exact: true }).waitFor();
        await expect.poll(() => field("Token").inputValue()).toBe("");
        expect(
          await page.getByRole("textbox", { name: "Title" }).inputValue(),
        ).toBe("Store");
        expect(
          await page
            .getByRole("textbox", { name: "Title" })
            .getAttribute("value"),
        ).not.toContain("s3cret");
        expect(faults.filter((fault) => !fault.includes("409"))).toEqual([]);
        faults.length = 0;
        await leave();
      },
    );
  });
}
