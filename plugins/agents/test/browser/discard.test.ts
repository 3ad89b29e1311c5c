import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findBarriers } from "@gantry/ui-kit/testing";
import { keepPicture } from "@gantry/build/testing";
import { expect } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { browserTest, useHouse } from "./support/browser-test.ts";

const house = useHouse();

const rates = (changes: Record<number, string> = {}) =>
  Array.from(
    { length: 60 },
    (_, index) => changes[index] ?? `export const RATE_${index} = ${index};`,
  ).join("\n") + "\n";

browserTest(
  "hunks and files are discarded at once, and put back one after the other with the keyboard",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const changed = rates({ 5: "export const VAT = 0.19;", 40: "// later" });
    const cwd = await createRepository(join(house().folder, "discards"), {
      "rates.ts": rates(),
      "README.md": "# Shop\n",
    });
    await writeFiles(cwd, { "rates.ts": changed, "notes.txt": "mine\n" });
    await plainGit(cwd, "add", "rates.ts");
    const text = async (path: string) =>
      await readFile(join(cwd, path), "utf8").catch(() => "gone");
    const { id } = await house().createAgent({ name: "Discards", cwd });
    await page.goto(`${house().daemon.url}/agents/${id}/changes`);

    const discard = page.getByRole("button", {
      name: /^Discard: line 3 of rates\.ts/,
    });
    await discard.waitFor();
    await keepPicture(page, "discard-before");
    await discard.focus();
    await page.keyboard.press("Enter");
    await page.getByText("Discarded a change in rates.ts.").waitFor();
    await expect.poll(() => text("rates.ts")).toBe(rates({ 40: "// later" }));
    await expect.poll(() => discard.count()).toBe(0);
    const undo = page.getByRole("button", { name: /^Undo: put back/ });
    await expect
      .poll(() => undo.evaluate((button) => button === document.activeElement))
      .toBe(true);

    await page
      .getByRole("button", { name: "Discard the changes in notes.txt" })
      .click();
    await page
      .getByText("Discarded the changes in notes.txt, and 1 more before.")
      .waitFor();
    expect(await text("notes.txt")).toBe("gone");
    await keepPicture(page, "discard");
    expect(await findBarriers(page)).toEqual([]);

    await writeFiles(cwd, { "notes.txt": "theirs\n" });
    await undo.press("Enter");
    await page.getByText("It was not put back").waitFor();
    expect(await text("notes.txt")).toBe("theirs\n");
    await page
      .getByRole("button", { name: "Put it back all the same" })
      .click();
    await page.getByText("Put back: the changes in notes.txt.").waitFor();
    expect(await text("notes.txt")).toBe("mine\n");

    await page.reload();
    await undo.press("Enter");
    await page.getByText("Put back: a change in rates.ts.").waitFor();
    expect(await text("rates.ts")).toBe(changed);
    expect(await plainGit(cwd, "diff", "--cached", "--shortstat")).toBe(
      "1 file changed, 2 insertions(+), 2 deletions(-)",
    );
    await page.setViewportSize({ width: 390, height: 800 });
    await keepPicture(page, "discard-narrow");
    expect(await findBarriers(page)).toEqual([]);
    await expect.poll(() => undo.count()).toBe(0);
  },
);
