import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findBarriers } from "@gantry/ui-kit/testing";
import { keepPicture } from "@gantry/build/testing";
import { expect } from "vitest";
import { createRepository } from "../help/plain-git.ts";
import { browserTest, useHouse } from "./support/browser-test.ts";

const house = useHouse();

/** An agent that works in a repository of its own. */
async function createWorker(name: string) {
  const cwd = await createRepository(join(house().folder, name), {
    "README.md": "# Shop\n",
    "src/rates.ts": "export const RATE = 1;\n",
  });
  return { cwd, id: (await house().createAgent({ name, cwd })).id };
}

const part = (name: string) =>
  house().page.getByRole("region", { name, exact: true });
const handle = () =>
  house().page.getByRole("separator", { name: "Width of the conversation" });

browserTest(
  "the part beside a conversation follows the agent, and is there again as it was left",
  async () => {
    const { page } = house();
    const { cwd, id } = await createWorker("Follows");
    await house().open(id);
    await part("Changes").getByText("Nothing has changed").waitFor();
    const input = JSON.stringify({
      path: join(cwd, "src/rates.ts"),
      content: "export const RATE = 2;\n",
    });
    // Each step waits for a file, so that it is seen while it lasts.
    const until = (name: string) =>
      `until [ -e ${name} ]; do sleep 0.05; done; rm ${name}`;
    await house().prompt(
      id,
      `[[run:echo one; ${until("first")}]][[run:echo "export const RATE = 2;" > src/rates.ts; echo x > new.txt]][[tool:write:${input}]]`,
    );
    const command = part("Terminal").getByRole("region", {
      name: "What the command wrote",
    });
    await command.getByText("one").waitFor();
    await writeFile(join(cwd, "first"), "");
    await part("Changes").getByText("export const RATE = 2;").waitFor();
    await page.getByRole("link", { name: "Changes 2 changed files" }).waitFor();
    expect(new URL(page.url()).searchParams.get("path")).toBe("src/rates.ts");

    await page.keyboard.press("Control+4");
    await part("Files")
      .getByRole("treeitem", { name: /new\.txt/ })
      .waitFor();
    const width = async () => (await part("Files").boundingBox())?.width ?? 0;
    const before = await width();
    await handle().focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(width).toBeGreaterThan(before);
    const wider = await width();
    await house().open(id);
    await part("Files").waitFor();
    expect(Math.abs((await width()) - wider)).toBeLessThan(3);

    await page
      .getByRole("button", { name: "Show the conversation alone" })
      .click();
    await part("Files").waitFor({ state: "detached" });
    await house().open(id);
    await page.getByRole("button", { name: "Show the changes" }).waitFor();
    expect(await handle().count()).toBe(0);
    house().expectPeace();
  },
);

browserTest(
  "a turn that changed files ends in what it changed, and is undone and redone",
  async () => {
    const { page } = house();
    const { cwd, id } = await createWorker("Undoes");
    const rates = join(cwd, "src/rates.ts");
    await house().open(id);
    await house().prompt(
      id,
      "[[run:echo 'export const RATE = 2;' > src/rates.ts; echo x > new.txt]]",
    );
    const changes = page.getByRole("group", { name: "Changes of this turn" });
    await changes.getByText("2 files").waitFor();
    expect((await changes.innerText()).replaceAll(/\s+/g, " ")).toContain(
      "added: +2 removed: −1",
    );
    await changes.getByRole("button", { name: "Review" }).click();
    await part("What the turn changed")
      .getByText("export const RATE = 2;")
      .waitFor();

    await changes.getByRole("button", { name: "Undo this turn" }).click();
    const dialog = page.getByRole("dialog", { name: "Undo this turn?" });
    await dialog.getByText("new.txt").waitFor();
    await dialog.getByRole("button", { name: "Undo" }).click();
    await changes.getByText("Undone").waitFor();
    expect(await readFile(rates, "utf8")).toBe("export const RATE = 1;\n");
    expect(await readdir(cwd)).not.toContain("new.txt");
    await page.getByRole("button", { name: "Redo" }).click();
    await changes.getByRole("button", { name: "Undo this turn" }).waitFor();
    expect(await readFile(rates, "utf8")).toBe("export const RATE = 2;\n");

    await appendFile(rates, "export const MINE = 1;\n");
    await changes.getByRole("button", { name: "Undo this turn" }).click();
    await dialog.getByText("changed since").waitFor();
    const undo = dialog.getByRole("button", { name: "Undo" });
    expect(await undo.isDisabled()).toBe(true);
    await dialog.getByRole("checkbox").check();
    await undo.click();
    await changes.getByText("Undone").waitFor();
    expect(await readFile(rates, "utf8")).toBe("export const RATE = 1;\n");
    house().expectPeace();
  },
);

browserTest(
  "comments on lines go to the agent as one message, and files that were viewed are folded until they change",
  async () => {
    const { page } = house();
    const { cwd, id } = await createWorker("Reviews");
    const rates = join(cwd, "src/rates.ts");
    await writeFile(rates, "export const RATE = 2;\nexport const MORE = 3;\n");
    await page.goto(`${house().daemon.url}/agents/${id}/changes`);
    const comment = async (line: string, text: string) => {
      const button = part("Changes").getByRole("button", {
        name: line,
        exact: true,
      });
      await button.focus();
      await page.keyboard.press("Enter");
      await page.keyboard.type(text);
      await page.keyboard.press("Control+Enter");
      // The keyboard is on the line again.
      await expect
        .poll(() => button.evaluate((one) => one === document.activeElement))
        .toBe(true);
    };
    await comment("Comment on line 1 as it was", "Keep this name.");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await comment("Comment on line 2", "Say why.");
    await page.reload();
    await part("Changes").getByText("Say why.").waitFor();
    await page
      .getByRole("group", { name: "Comments" })
      .getByText("2 comments")
      .waitFor();
    await page.getByRole("button", { name: "Send to the agent" }).click();
    const said = page
      .getByRole("feed")
      .getByText("2 comments on your changes:");
    await said.waitFor();
    expect(await said.innerText()).toMatch(
      /rates\.ts, line 1 before the change:[^]*-export const RATE = 1;[^]*Keep this name\.[^]*line 2:[^]*Say why\./,
    );
    await page
      .getByRole("group", { name: "Comments" })
      .waitFor({ state: "detached" });

    const viewed = page.getByRole("checkbox", { name: "Viewed src/rates.ts" });
    await viewed.check();
    const shown = part("What changed").getByText("export const MORE");
    await shown.waitFor({ state: "detached" });
    await appendFile(rates, "export const LAST = 4;\n");
    await shown.waitFor();
    await page.getByTitle("Changed since you viewed it").waitFor();
    expect(await viewed.isChecked()).toBe(false);
    house().expectPeace();
  },
);

browserTest(
  "what the user writes in a part is lost neither to the agent's steps nor to another part",
  async () => {
    const { page } = house();
    const { cwd, id } = await createWorker("Writes");
    await writeFile(join(cwd, "src/rates.ts"), "export const RATE = 2;\n");
    await page.goto(
      `${house().daemon.url}/agents/${id}/changes?path=src/rates.ts`,
    );
    await part("What changed").getByRole("link", { name: /rates/ }).click();
    const editor = page.getByRole("textbox", { name: "Text of src/rates.ts" });
    await editor.click();
    await page.keyboard.type("mine ");
    const question = page.getByRole("dialog", {
      name: "Leave without saving?",
    });
    // Back leads to the same file in another part.
    for (const leave of [
      () => page.goBack(),
      () => page.keyboard.press("Control+3"),
      () =>
        page
          .getByRole("button", { name: "Show the conversation alone" })
          .click(),
    ]) {
      void leave();
      await question.waitFor();
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
      expect(await editor.innerText()).toContain("mine ");
    }
    await house().prompt(id, "[[run:echo done]][[reply:I am done.]]");
    await page.getByText("I am done.", { exact: true }).waitFor();
    expect(await editor.innerText()).toContain("mine ");
    await page.keyboard.press("Control+3");
    await question.getByRole("button", { name: "Leave" }).click();

    await page.goto(`${house().daemon.url}/agents/${id}/changes`);
    await part("What changed")
      .getByRole("button", { name: "Comment on line 1", exact: true })
      .focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("half a thought");
    await page.keyboard.press("Control+4");
    await part("Files").waitFor();
    await page.keyboard.press("Control+1");
    const field = page.getByRole("textbox", { name: "Comment on line 1" });
    expect(await field.inputValue()).toBe("half a thought");

    await writeFile(
      join(cwd, "src/rates.ts"),
      "// Rates\nexport const RATE = 2;\n",
    );
    const moved = page.getByRole("textbox", { name: "Comment on line 2" });
    await moved.waitFor();
    expect(await moved.inputValue()).toBe("half a thought");
    await page.reload();
    await part("What changed").getByText("Not added yet").waitFor();
    await page
      .getByRole("button", { name: "Edit the comment on line 2" })
      .click();
    await moved.press("End");
    await page.keyboard.type(", now whole");
    await page.keyboard.press("Control+Enter");
    await part("What changed").getByText("half a thought, now whole").waitFor();
    await page
      .getByRole("group", { name: "Comments" })
      .getByText("1 comment", { exact: true })
      .waitFor();
    expect(await page.getByText("Not added yet").count()).toBe(0);
    house().expectPeace();
  },
);

browserTest(
  "what changes on disk is shown without a click, and Follow can be turned off",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const { cwd, id } = await createWorker("Watches");
    await house().open(id);
    await part("Changes").getByText("Nothing has changed").waitFor();
    await appendFile(join(cwd, "README.md"), "Sells chairs.\n");
    await part("Changes").getByText("Sells chairs.").waitFor();
    await page.getByRole("button", { name: "Follow" }).click();
    await house().prompt(id, "[[run:echo done]][[reply:I am done.]]");
    await page.getByText("I am done.", { exact: true }).waitFor();
    expect(await part("Terminal").count()).toBe(0);
    house().expectPeace();
  },
);

browserTest(
  "stopping a turn puts what was queued back into the composer",
  async () => {
    const { page } = house();
    const { id } = await createWorker("Queues");
    await house().open(id);
    await house().prompt(id, "[[long:3000:10]]");
    await page.getByText("word20 ").waitFor();
    const text = page.getByRole("textbox", { name: /^Message/ });
    const waiting = page.getByRole("list", { name: "Waiting messages" });
    for (const words of ["first", "second"]) {
      await text.fill(words);
      await text.press("Enter");
      await waiting.getByText(words, { exact: true }).waitFor();
    }
    await text.press("Escape");
    await text.press("Escape");
    await page
      .getByRole("button", { name: "Stop" })
      .waitFor({ state: "detached" });
    await expect.poll(() => text.inputValue()).toBe("first\n\nsecond");
    expect((await house().read(id)).activity).toBe("idle");
    house().expectPeace();
  },
);

browserTest(
  "all parts work on a desk and on a phone, in the dark and in the light",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const { cwd, id } = await createWorker("Looks");
    await writeFile(join(cwd, "src/rates.ts"), "export const RATE = 3;\n");
    await writeFile(join(cwd, "new.bin"), new Uint8Array([0, 1]));
    await house().prompt(
      id,
      "[[plan:Read the rates;Write them]][[run:echo tested]][[reply:Done.]]",
    );
    // Else what is shown follows the agent.
    await expect
      .poll(async () => (await house().read(id)).lastMessage)
      .toBe("Done.");
    const screens = [
      ["desk", 1280, 800, "light"],
      ["wide", 1920, 1080, "dark"],
      ["phone", 390, 844, "dark"],
    ] as const;
    for (const [screen, width, height, colorScheme] of screens) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      for (const [name, ready] of [
        ["changes", "export const RATE = 3;"],
        ["preview", "There is no preview here"],
        ["terminal", "There are no terminals here"],
        ["files", "README.md"],
        ["history", "Uncommitted"],
      ] as const) {
        await page.goto(`${house().daemon.url}/agents/${id}/${name}`);
        await page.getByText(ready).first().waitFor();
        if (name === "changes")
          await page.getByText("Binary file, 2 B").waitFor();
        const tooWide = await page.evaluate(
          () => document.documentElement.scrollWidth > window.innerWidth,
        );
        expect([name, screen, tooWide]).toEqual([name, screen, false]);
        const barriers = await findBarriers(page);
        await keepPicture(page, `screenshots/workspace-${name}-${screen}`);
        expect(barriers, `${name} on a ${screen}`).toEqual([]);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    house().expectPeace();
  },
);
