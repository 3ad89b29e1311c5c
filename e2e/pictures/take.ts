import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { launchBrowser, openVisitor, pairVisitor } from "../support/browser.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import {
  annotateStorefront,
  openStorefront,
  serveStorefront,
} from "./browser.ts";
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

await using shop = await serveStorefront();
const place = { base: scene.daemon.url, url: shop.url };
await page.emulateMedia({ colorScheme: "light" });
await openStorefront(page, place);
await annotateStorefront(page);
await take(page, "browser");
await page.goto(scene.daemon.url);
await page.setViewportSize({ width: 390, height: 844 });
await page.emulateMedia({ colorScheme: "dark" });
await page.goto(`${scene.daemon.url}/browser`);
await page.locator("canvas.bg-white").waitFor();
await page.waitForTimeout(2_000);
await take(page, "browser-phone");

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
