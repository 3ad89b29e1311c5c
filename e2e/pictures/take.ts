import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { launchBrowser, openVisitor, pairVisitor } from "../support/browser.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { playScene, timeZone } from "./scene.ts";

/** Takes the pictures of the README again: `pnpm --filter @gantry/e2e pictures`, with everything built. */
const docs = fileURLToPath(new URL("../../docs/", import.meta.url));

await using folder = await createTemporaryFolder("pictures");
await using scene = await playScene(folder.path);
await using browser = await launchBrowser();
const visitor = await openVisitor(browser, scene.daemon, {
  viewport: { width: 1280, height: 800 },
  colorScheme: "light",
  reducedMotion: "reduce",
  locale: "en-GB",
  timezoneId: timeZone,
});
await pairVisitor(visitor, scene.daemon);
const { page } = visitor;
await mkdir(docs, { recursive: true });

await page.goto(scene.daemon.url);
await page.getByText("Nightly benchmark").nth(1).waitFor();
await take(page, "home");

await page.emulateMedia({ colorScheme: "dark" });
await page.goto(`${scene.daemon.url}/agents/${scene.asking}`);
const edit = page.getByRole("button", { name: /Edited/ });
await edit.click();
await page.getByText("Rounded once, at the end").waitFor();
await page.getByRole("button", { name: /^Allow/ }).hover();
await page.mouse.wheel(0, 2_000);
await page.mouse.move(600, 30);
await take(page, "conversation");

await page.emulateMedia({ colorScheme: "light" });
await page.goto(`${scene.daemon.url}/agents/${scene.reviewed}/changes`);
await page
  .getByRole("checkbox", { name: /012-indexes/ })
  .first()
  .check();
await page
  .getByRole("button", { name: "Comment on line 15", exact: true })
  .focus();
await page.keyboard.press("Enter");
await page.keyboard.type("Read after the last id instead: OFFSET gets slow.");
await page.keyboard.press("Control+Enter");
const message = page.getByRole("textbox", { name: "Commit message" });
await message.fill("Index orders by customer");
await page.getByRole("button", { name: /^Commit 1 staged file/ }).waitFor();
await page.mouse.move(600, 30);
await take(page, "review");

if (visitor.faults.length + visitor.stray.length > 0)
  throw new Error([...visitor.faults, ...visitor.stray].join("\n"));

async function take(from: Page, name: string): Promise<void> {
  // The skeletons of what is still loading are not what a picture is for.
  await from.waitForFunction(() => !document.querySelector(".kit-bone"));
  await from.evaluate(() => document.fonts.ready);
  const path = `${docs}${name}.png`;
  await from.screenshot({ path });
  console.log(path);
}
