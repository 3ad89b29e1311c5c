import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  chromiumPath,
  launchBrowser,
  openVisitor,
  pairVisitor,
} from "../support/browser.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** A name of this machine that is no loopback name to the browser, which trusts those over plain HTTP too. */
const HOST = "gantry.test";

/** Reads the clipboard as a user does: by pasting. */
async function paste(page: Page): Promise<string> {
  const field = page.getByRole("textbox", { name: /^Message to/ });
  await field.fill("");
  await field.press("Control+V");
  return await field.inputValue();
}

test.skipIf(chromiumPath === undefined)(
  "over plain HTTP on another address, where browsers hold APIs back, the pages work",
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("plain-http"));
    const home = join(folder.path, "home");
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, "config.json"), `{"hosts":["${HOST}"]}`);
    const started = stack.use(await startDaemon(home));
    const toOther = (url: string) =>
      url.replace(`gantry.localhost:${started.port}`, HOST);
    const daemon = {
      ...started,
      url: toOther(started.url),
      pairUrl: toOther(started.pairUrl),
    };
    const browser = stack.use(
      await launchBrowser({
        args: [`--host-resolver-rules=MAP ${HOST} 127.0.0.1:${started.port}`],
      }),
    );
    const visitor = await openVisitor(browser, daemon);
    const { page, faults } = visitor;
    await pairVisitor(visitor, daemon);
    expect(await page.evaluate(() => window.isSecureContext)).toBe(false);

    await page.goto(`${daemon.url}/automations/new`);
    await page.getByLabel("Name").first().fill("Brief");
    await page.getByLabel("Prompt").fill("[[reply:All is well.]]");
    await page.getByRole("switch", { name: "Webhook" }).click();
    await page.getByRole("button", { name: "Create automation" }).click();
    const secret = await page
      .getByRole("textbox", { name: "Webhook secret" })
      .inputValue();
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByText("Copied to the clipboard").first().waitFor();
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByRole("list", { name: "Runs" }).getByText("Done").waitFor();

    await page.goto(`${daemon.url}/agents?new`);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Helper");
    await dialog.getByRole("button", { name: "Create agent" }).click();
    const box = page.getByRole("textbox", { name: /^Message to/ });
    await box.waitFor();
    expect(await paste(page)).toBe(secret);
    await box.fill("[[reply:Hello there.]]");
    await box.press("Enter");
    await page.getByText("Hello there.", { exact: true }).waitFor();

    await page.goto(`${daemon.url}/snippets/new`);
    await page.getByLabel("Title").fill("Greeting");
    await page.getByRole("textbox", { name: "Text" }).fill("Hello");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Greeting" }).waitFor();

    await page.goto(`${daemon.url}/inbox`);
    const main = page.getByRole("main");
    await main.getByRole("link", { name: /Brief/ }).click();
    const reply = page.getByLabel("Reply to the agent");
    await reply.fill("[[reply:And thanks.]]");
    await reply.press("Control+Enter");
    await page
      .getByText(/Sent to the agent|Queued/)
      .first()
      .waitFor();
    // Chromium says of each page that it passes over a header which it only heeds over HTTPS.
    const own = faults.filter((fault) => !/Opener-Policy/.test(fault));
    expect(own).toEqual([]);
  },
);
