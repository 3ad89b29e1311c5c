import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findBarriers } from "@gantry/ui-kit/testing";
import { keepPicture } from "@gantry/build/testing";
import { expect } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { browserTest, useHouse } from "./support/browser-test.ts";

const house = useHouse();
const COUNT = 25_000;
const textOf = (value: (index: number) => number | string, count: number) =>
  Array.from(
    { length: count },
    (_, index) => `export const rate${index + 1} = ${value(index + 1)};\n`,
  ).join("");

/** An agent whose repository has one file, and that changed it. */
async function createWorker(name: string, before: string, after: string) {
  const cwd = await createRepository(join(house().folder, name), {
    "rates.ts": before,
  });
  const file = join(cwd, "rates.ts");
  await writeFile(file, after);
  const { id } = await house().createAgent({ name, cwd });
  await house().page.goto(`${house().daemon.url}/agents/${id}/changes`);
  await lines().first().waitFor();
  return { cwd, file };
}

const lines = () =>
  house().page.getByRole("group", { name: "Changed lines of rates.ts" });
const line = (name: string) =>
  house().page.getByRole("button", { name: `Comment on ${name}`, exact: true });
const hasFocus = (name: string) =>
  expect
    .poll(() => line(name).evaluate((one) => one === document.activeElement))
    .toBe(true);

/** Scrolls the difference to a part of its height and tells whether there is a line in the middle of the view. */
function scrollTo(part: number): Promise<boolean> {
  return lines().evaluate((group, share) => {
    let box: Element | null = group.parentElement;
    while (box && getComputedStyle(box).overflowY !== "auto")
      box = box.parentElement;
    if (!box) throw new Error("Nothing scrolls.");
    box.scrollTop = share * (box.scrollHeight - box.clientHeight);
    const { left, top, width, height } = box.getBoundingClientRect();
    const middle = document.elementFromPoint(
      left + width / 2,
      top + height / 2,
    );
    return middle?.closest("[data-row]") != null;
  }, part);
}

browserTest(
  "of a file with 50,000 changed lines only those near the view are drawn, and each is reached",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    await createWorker(
      "Scales",
      textOf((index) => index, COUNT),
      textOf((index) => `${index}.5`, COUNT),
    );
    const expectFewRows = async () =>
      expect(await page.locator("[data-row]").count()).toBeLessThan(400);
    await expectFewRows();
    await line("line 1 as it was").focus();
    await page.keyboard.press("End");
    await hasFocus(`line ${COUNT}`);
    await page.keyboard.press("ArrowUp");
    await hasFocus(`line ${COUNT - 1}`);
    await expectFewRows();

    await page.keyboard.press("Enter");
    const field = page.getByRole("textbox", {
      name: `Comment on line ${COUNT - 1}`,
    });
    await page.keyboard.type("Why a half");
    for (const part of [0, 0.25, 0.5, 0.75]) {
      await expect.poll(() => scrollTo(part)).toBe(true);
      await expectFewRows();
    }
    await page.keyboard.type("?");
    expect(await field.inputValue()).toBe("Why a half?");
    await page.keyboard.press("Control+Enter");
    await hasFocus(`line ${COUNT - 1}`);
    await page.keyboard.press("Home");
    await hasFocus("line 1 as it was");
    expect(await findBarriers(page)).toEqual([]);
    house().expectPeace();
  },
);

browserTest(
  "of very many files the first are shown, and the others on request",
  { tags: "thorough" },
  async () => {
    const { page, daemon } = house();
    const files = (value: number) =>
      Object.fromEntries(
        Array.from({ length: 510 }, (_, index) => [
          `rate-${String(index + 1).padStart(3, "0")}.ts`,
          `export const RATE = ${value};\n`,
        ]),
      );
    const cwd = await createRepository(join(house().folder, "many"), files(1));
    await writeFiles(cwd, files(2));
    const { id } = await house().createAgent({ name: "Many", cwd });
    await page.goto(`${daemon.url}/agents/${id}/changes`);
    const fileOf = (name: string) =>
      page.getByRole("group", { name: `Changed lines of ${name}` });
    await fileOf("rate-001.ts").waitFor();
    const more = page.getByRole("button", { name: "Show more" });
    const scrollToEnd = () =>
      page.getByText("500 of 510 files").scrollIntoViewIfNeeded();
    await scrollToEnd();
    await fileOf("rate-500.ts").waitFor();
    expect(await fileOf("rate-501.ts").count()).toBe(0);
    await more.focus();
    await page.keyboard.press("Enter");
    await more.waitFor({ state: "detached" });
    await fileOf("rate-501.ts").waitFor();
    const head = page.getByRole("button", {
      name: "Changes in rate-501.ts",
      exact: true,
    });
    await expect
      .poll(() => head.evaluate((one) => one === document.activeElement))
      .toBe(true);
    expect(await findBarriers(page)).toEqual([]);
    house().expectPeace();
  },
);

browserTest(
  "what changed since the user looked is marked, and comments on lines that are gone stay",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const { cwd, file } = await createWorker(
      "Looks again",
      textOf((index) => index, 60),
      textOf((index) => ([5, 50].includes(index) ? "one" : index), 60),
    );
    await line("line 50").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("Not a number.");
    await page.keyboard.press("Control+Enter");
    const viewed = page.getByRole("checkbox", { name: "Viewed rates.ts" });
    await viewed.check();
    await lines().waitFor({ state: "detached" });
    await writeFile(
      file,
      textOf(
        (index) => (index === 5 ? "one" : index === 50 ? "two" : index),
        60,
      ),
    );
    await page.getByText(/Line \d+ · New since you looked/).waitFor();
    const old = page.getByText("export const rate5 = one;");
    await old.waitFor();
    await page.getByRole("button", { name: "Only what is new" }).click();
    await old.waitFor({ state: "detached" });
    await page.getByText("export const rate50 = two;").waitFor();
    await page
      .getByText("1 comment on lines that are no longer here")
      .waitFor();
    await page.getByText("+export const rate50 = one;").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await keepPicture(page, "screenshots/difference-since");

    await plainGit(cwd, "checkout", "rates.ts");
    await writeFile(join(cwd, "other.ts"), "export {};\n");
    await page
      .getByText("1 comment on files that are not among these changes")
      .waitFor();
    await page
      .getByRole("button", { name: "Delete the comment on line 50" })
      .click();
    await page
      .getByRole("group", { name: "Comments" })
      .waitFor({ state: "detached" });
    house().expectPeace();
  },
);

browserTest(
  "lines stand side by side where there is room, and the browser remembers it",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    await page.setViewportSize({ width: 2400, height: 1000 });
    await createWorker(
      "Compares",
      textOf((index) => index, 60),
      textOf((index) => (index === 5 ? "one" : index), 60),
    );
    await page.getByRole("button", { name: "Side by side" }).click();
    await line("line 5 as it was").focus();
    await page.keyboard.press("ArrowRight");
    await hasFocus("line 5");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Spell it out.");
    await page.keyboard.press("Control+Enter");
    await page.reload();
    await page.getByText("Spell it out.").waitFor();
    const place = async (name: string) => (await line(name).boundingBox())?.y;
    expect(await place("line 5 as it was")).toBe(await place("line 5"));
    expect(await findBarriers(page)).toEqual([]);
    await keepPicture(page, "screenshots/difference-side-by-side");
    await page.setViewportSize({ width: 1280, height: 800 });
    await page
      .getByRole("button", { name: "Side by side" })
      .waitFor({ state: "detached" });
    expect(await place("line 5 as it was")).not.toBe(await place("line 5"));
    house().expectPeace();
  },
);
