import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findBarriers } from "@gantry/ui-kit/testing";
import { isThorough, keepPicture } from "@gantry/build/testing";
import { beforeAll, expect } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { chromiumPath } from "./support/e2e.ts";

const house = useHouse();
let agentId: string;
let cwd: string;

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC",
  "base64",
);

const CODE = `import { readFile } from "node:fs/promises";

/** What a shop owes its suppliers. */
export interface Invoice {
  id: string;
  cents: number;
}

export async function readInvoices(path: string): Promise<Invoice[]> {
  const text = await readFile(path, "utf8");
  return JSON.parse(text) as Invoice[];
}
`;

/** A shop with two branches, a merge, a second working tree, and changes that are in no commit. */
async function arrange(folder: string): Promise<string> {
  const shop = await createRepository(join(folder, "shop"), {
    "README.md": "# Shop\n\nSells things.\n\n- quickly\n- kindly\n",
    "src/invoices.ts": CODE,
    "src/tax/rates.ts": "export const RATE = 0.19;\n",
    "src/tax/countries.json": "[]\n",
    "public/index.html":
      "<h1>Shop</h1><script>parent.__xss = 1</script><img src='https://evil.example/x.png' alt='x'>",
    "public/logo.svg":
      "<svg xmlns='http://www.w3.org/2000/svg' width='120' height='60'><rect width='120' height='60' fill='teal'/></svg>",
    "public/pixel.png": PNG,
    "data.bin": new Uint8Array([0, 1, 2]),
    "old.txt": "old\n",
  });
  const step = async (message: string, files: Record<string, string>) => {
    await writeFiles(shop, files);
    await plainGit(shop, "add", "-A");
    await plainGit(shop, "commit", "-qm", message);
  };
  await step("Add totals\n\nThey are in cents, since floats lie.", {
    "src/total.ts": "export const total = 1;\n",
  });
  await plainGit(shop, "switch", "-qc", "feature/tax");
  await step("Read rates by country", { "src/tax/read.ts": "export {};\n" });
  await plainGit(shop, "switch", "-q", "main");
  await step("Say what the shop sells", {
    "README.md": "# Shop\n\nSells chairs.\n",
  });
  await plainGit(
    shop,
    "merge",
    "-q",
    "--no-ff",
    "-m",
    "Merge feature/tax",
    "feature/tax",
  );
  await plainGit(shop, "tag", "v1.0");
  await plainGit(
    shop,
    "worktree",
    "add",
    "-q",
    "-b",
    "fix/rounding",
    join(folder, "shop-rounding"),
  );
  await step("Keep invoices in order", {
    "src/order.ts": "export const order = 1;\n",
  });
  await writeFiles(shop, {
    "src/invoices.ts": CODE.replace("cents: number", "cents: bigint"),
    "src/new-file.ts": "export const fresh = true;\n",
  });
  await rm(join(shop, "old.txt"));
  await plainGit(shop, "mv", "data.bin", "data.dat");
  await symlink("/etc", join(shop, "outside"));
  return shop;
}

beforeAll(async () => {
  if (!chromiumPath) return;
  cwd = await arrange(house().folder);
  const agent = await house().createAgent({ name: "Clerk", cwd });
  agentId = agent.id;
  await house().createAgent({
    name: "Rounder",
    cwd: join(house().folder, "shop-rounding"),
  });
});

const go = (part: string) =>
  house().page.goto(`${house().daemon.url}/agents/${agentId}/${part}`);

/** Nothing sticks out, and axe finds nothing. */
async function inspect(name: string): Promise<void> {
  const { page } = house();
  const screens = [
    ["desk", 1280, 800, "light"],
    ["phone", 390, 844, "dark"],
  ] as const;
  for (const [screen, width, height, colorScheme] of screens.slice(
    0,
    isThorough ? 2 : 1,
  )) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => document.fonts.ready);
    const tooWide = await page.evaluate(
      () => document.documentElement.scrollWidth > window.innerWidth,
    );
    expect([name, screen, tooWide]).toEqual([name, screen, false]);
    // It stops all movement, which a picture does well without.
    const barriers = await findBarriers(page);
    await keepPicture(page, `screenshots/repository-${name}-${screen}`);
    expect(barriers, `${name} on a ${screen}`).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

browserTest(
  "files: a tree to walk with keys, a file by a few letters, and what it holds",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    await go("files");
    const tree = page.getByRole("tree", { name: "Files" });
    await tree.getByRole("treeitem", { name: "src" }).waitFor();
    await tree.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await tree.getByRole("treeitem", { name: "invoices.ts" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await tree.getByRole("treeitem", { name: "rates.ts" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page
      .getByRole("textbox", { name: "Text of src/tax/countries.json" })
      .waitFor();
    await inspect("tree");

    await page.keyboard.press("Control+p");
    const search = page.getByRole("combobox", { name: "Letters of the path" });
    await search.fill("invts");
    await page
      .getByRole("option", { name: /invoices\.ts/, selected: true })
      .waitFor();
    await inspect("quick-open");
    await search.press("Enter");
    await page
      .getByRole("textbox", { name: "Text of src/invoices.ts" })
      .waitFor();
    await page.locator(".cm-content span").first().waitFor();
    await inspect("editor");

    await go("files?path=README.md");
    await page.getByRole("button", { name: "Preview" }).click();
    await page
      .locator(".kit-markdown")
      .getByRole("heading", { name: "Shop" })
      .waitFor();
    await inspect("markdown");
    await go("files?path=public/index.html");
    await page.getByRole("button", { name: "Preview" }).click();
    await page
      .frameLocator("iframe")
      .getByRole("heading", { name: "Shop" })
      .waitFor();
    expect(
      await page.evaluate(() => (window as { __xss?: number }).__xss),
    ).toBeUndefined();
    for (const [path, shown] of [
      ["public/logo.svg", "img"],
      ["public/pixel.png", "img"],
    ] as const) {
      await go(`files?path=${path}`);
      const picture = page.locator(`${shown}[alt="${path}"]`);
      await picture.waitFor();
      await expect
        .poll(() =>
          picture.evaluate((one) => (one as HTMLImageElement).naturalWidth),
        )
        .toBeGreaterThan(0);
    }
    await go("files?path=data.dat");
    await page.getByText("This file is not text").waitFor();
    await go("files?path=nowhere.txt");
    await page.getByText("The file could not be opened").waitFor();
    await inspect("no-file");
    house().visitor.faults.splice(0);
  },
);

browserTest(
  "a file with both line endings has all its lines, keeps them, and says so; so does its patch",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const file = join(cwd, "public/mixed.txt");
    await writeFile(file, "\ufeffa\r\nb\nc\r\n");
    await go("files?path=public/mixed.txt");
    const editor = page.getByRole("textbox", { name: /mixed\.txt/ });
    await editor.waitFor();
    expect(await editor.locator(".cm-line").count()).toBe(4);
    await page
      .getByText("Mixed line endings: 2 CRLF, 1 LF · Byte order mark")
      .waitFor();
    await editor.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("d");
    await page.keyboard.press("Control+s");
    await expect
      .poll(() => readFile(file, "utf8"))
      .toBe("\ufeffa\r\nb\nc\r\nd");
    await page.getByText("No newline at the end").waitFor();
    await go("changes?path=public/mixed.txt");
    await page.getByText("Line endings: mixed.").waitFor();
    await page.getByText("It has no newline at its end.").waitFor();
    await page.getByText("⟨U+FEFF⟩a␍").waitFor();
    await inspect("mixed");
    await rm(file);
  },
);

browserTest(
  "a text is saved, and never over what another program wrote meanwhile",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const file = join(cwd, "notes.txt");
    await writeFile(file, "one\ntwo\n");
    await go("files?path=notes.txt");
    const editor = page.getByRole("textbox", { name: "Text of notes.txt" });
    await editor.click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("mine ");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => readFile(file, "utf8")).toBe("mine one\ntwo\n");
    await page
      .getByRole("button", { name: "Save" })
      .waitFor({ state: "detached" });

    await page.keyboard.type("again ");
    await writeFile(file, "theirs\n");
    await page.keyboard.press("Control+s");
    await page.getByText("This file was changed on disk").waitFor();
    expect(await readFile(file, "utf8")).toBe("theirs\n");
    await inspect("conflict");
    await page.getByRole("button", { name: "Keep mine" }).click();
    await expect
      .poll(() => readFile(file, "utf8"))
      .toBe("mine again one\ntwo\n");
    // The keyboard is back in the editor when the page knows that it is saved.
    await page
      .getByRole("button", { name: "Save" })
      .waitFor({ state: "detached" });

    await page.keyboard.type("lost ");
    await writeFile(file, "theirs again\n");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Take theirs" }).click();
    await expect.poll(() => editor.innerText()).toContain("theirs again");
    await rm(file);
    // That a save was refused is no fault of the page.
    const others = house().visitor.faults.filter(
      (fault) => !fault.includes("409"),
    );
    house().visitor.faults.splice(0, Infinity, ...others);
  },
);

browserTest(
  "changes: each file's, and all of them",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    await go("changes");
    const list = page.getByRole("region", { name: "Changed files" });
    const shown = page.getByRole("region", { name: "What changed" });
    await shown.getByText("cents: bigint;").waitFor();
    await shown.getByText("export const fresh = true;").waitFor();
    await shown.getByText("Only its name changed.").waitFor();
    await list.getByText("5 files").waitFor();
    expect(
      await list.getByRole("link", { name: /new-file\.ts/ }).innerText(),
    ).toContain("U");
    await inspect("changes");
    await list.getByRole("link", { name: /invoices\.ts/ }).click();
    await shown.getByText("cents: bigint;").waitFor();
    await shown
      .getByText("export const fresh = true;")
      .waitFor({ state: "detached" });
    await inspect("change");
    await page.getByRole("link", { name: "All changes" }).click();
    await shown.getByText("export const fresh = true;").waitFor();
  },
);

browserTest(
  "history: lanes, branches, working trees and a commit",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    await go("history");
    const commits = page.getByRole("listbox", { name: "Commits" });
    await commits.getByRole("option", { name: /Merge feature\/tax/ }).waitFor();
    expect(await commits.getByRole("option").count()).toBe(6);
    await page
      .getByRole("list", { name: "Working trees" })
      .getByText("Rounder")
      .waitFor();
    await page.getByRole("link", { name: /Uncommitted\s+5 files/ }).waitFor();
    await inspect("history");
    await commits.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.getByText("They are in cents, since floats lie.").waitFor();
    await page.getByText("export const total = 1;").waitFor();
    await inspect("commit");
    house().expectPeace();
  },
);

browserTest(
  "a folder without a repository says so, and one that is gone too",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const empty = join(house().folder, "plain");
    await mkdir(empty);
    const plain = await house().createAgent({ name: "Plain", cwd: empty });
    const base = `${house().daemon.url}/agents/${plain.id}`;
    await page.goto(`${base}/files`);
    await page.getByText("The folder is empty").waitFor();
    await page.goto(`${base}/history`);
    await page.getByText("This folder is no repository").waitFor();
    await inspect("no-repository");
    await rm(empty, { recursive: true });
    await page.goto(`${base}/changes`);
    await page.getByText("The changes could not be read").waitFor();
  },
);
