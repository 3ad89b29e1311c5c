import { join } from "node:path";
import { keepPicture } from "@gantry/build/testing";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createApiClient, send } from "../support/api-client.ts";
import {
  chromiumPath,
  keepScreenshot,
  launchBrowser,
  openVisitor,
  pairVisitor,
} from "../support/browser.ts";
import type { Visitor } from "../support/browser.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** One user's first hour, in the order in which it happens: each step depends on the one before. */
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };

describe.skipIf(chromiumPath === undefined)("the main job", () => {
  let stack: AsyncDisposableStack;
  let daemon: Daemon;
  let repository: string;
  let visitor: Visitor;
  let page: Page;
  const hook = { address: "", secret: "" };

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("main-job"));
    repository = await createGitRepository(join(folder.path, "sample"));
    daemon = stack.use(await startDaemon(join(folder.path, "home")));
    const browser = stack.use(await launchBrowser());
    visitor = await openVisitor(browser, daemon, {
      viewport: { width: 1280, height: 800 },
    });
    ({ page } = visitor);
  });

  afterAll(() => stack.disposeAsync());

  // What the page looked like says more than a locator that found nothing.
  afterEach(({ task }) =>
    task.result?.state === "fail"
      ? keepScreenshot(page, `failed-${task.name.replace(/\W+/g, "-")}`)
      : undefined,
  );

  test("the printed link pairs the browser", async () => {
    await pairVisitor(visitor, daemon);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    expect(new URL(page.url()).hostname).toBe("gantry.localhost");
    expect(page.url()).not.toContain("code=");
  });

  test("an agent is made in a git repository", async () => {
    await page.getByRole("link", { name: "Agents" }).first().click();
    await page.getByRole("button", { name: "New agent" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Watch the sample");
    await dialog.getByRole("combobox", { name: "Folder" }).fill(repository);
    await dialog.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Watch the sample" }).waitFor();
  });

  test("it answers, word by word, after it was allowed to", async () => {
    await say(
      "Look round [[run:git log --oneline]] [[ask:Read the README?]] [[long:12:40]]",
    );
    await page.getByRole("button", { name: /^Allow/ }).click();
    await page.getByText("word", { exact: false }).first().waitFor();
    await page
      .getByRole("button", { name: "Stop" })
      .waitFor({ state: "detached" });
    await keepPicture(page, "screenshots/conversation");
  });

  test("an automation runs by hand", async () => {
    await page.getByRole("link", { name: "Automations" }).first().click();
    await page.getByRole("link", { name: "New automation" }).first().click();
    await page.getByLabel("Name").fill("Morning brief");
    await page
      .getByLabel("Prompt")
      .fill("What is new? [[reply:Two commits since yesterday.]]");
    await page.getByLabel("Folder").fill(repository);
    await page.getByRole("switch", { name: "Webhook" }).click();
    await page.getByText("Next:").first().waitFor();
    await page.getByRole("button", { name: "Create automation" }).click();
    hook.secret = await page
      .getByRole("textbox", { name: "Webhook secret" })
      .inputValue();
    await page.getByRole("button", { name: "Run now" }).click();
    await runs()
      .filter({ hasText: "Done" })
      .filter({ hasText: "By hand" })
      .waitFor();
    await keepPicture(page, "screenshots/automation");
  });

  test("another program fires it", async () => {
    const api = await createApiClient(daemon);
    const { body } = await api.call<{ items: { id: string }[] }>(
      "GET",
      "/api/automations",
    );
    hook.address = `/api/automations/${body.items[0]?.id}/fire`;
    const wrong = await send(daemon.base, "POST", hook.address, "ping", {
      authorization: "Bearer wrong",
    });
    expect(wrong).toMatchObject({
      status: 401,
      body: { code: "WEBHOOK_UNAUTHORIZED" },
    });
    const right = await send(daemon.base, "POST", hook.address, "ping", {
      authorization: `Bearer ${hook.secret}`,
    });
    expect(right).toMatchObject({
      status: 200,
      body: { run: { trigger: "webhook" } },
    });
    await runs()
      .filter({ hasText: "Done" })
      .filter({ hasText: "Webhook" })
      .waitFor();
  });

  test("the answers are in the Inbox, and still there after a reload", async () => {
    await page
      .getByRole("link", { name: /^Inbox/ })
      .first()
      .click();
    const items = page.getByText("Two commits since yesterday.");
    await items.nth(1).waitFor();
    await page.reload();
    await items.nth(1).waitFor();
    await keepPicture(page, "screenshots/inbox");
  });

  test(
    "every page is accessible, in any colour mode and width",
    { tags: "thorough" },
    async () => {
      const paths = [
        "/",
        "/agents",
        "/automations",
        "/automations/new",
        "/inbox",
        "/snippets",
        "/snippets/new",
        "/settings/devices",
        "/settings/security",
        "/settings/plugins",
        "/settings/about",
      ];
      const agent = await firstId("/api/agents");
      const automation = await firstId("/api/automations");
      paths.push(`/agents/${agent}`, `/automations/${automation}`);
      const barriers: Record<string, string[]> = {};
      for (const path of paths) {
        await page.setViewportSize(DESK);
        await page.goto(daemon.url + path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.waitForLoadState("load");
        for (const [size, colorScheme] of [
          [DESK, "light"],
          [PHONE, "dark"],
        ] as const) {
          const { width } = size;
          await page.setViewportSize(size);
          await page.emulateMedia({ colorScheme });
          const found = await findBarriers(page);
          if (found.length > 0)
            barriers[`${path} ${width} ${colorScheme}`] = found;
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - window.innerWidth,
          );
          expect(overflow, `${path} at ${width} px`).toBeLessThanOrEqual(0);
          await keepPicture(
            page,
            `screenshots/${path.replaceAll("/", "-")}-${width}-${colorScheme}`,
          );
        }
      }
      expect(barriers).toEqual({});
      await page.setViewportSize(DESK);
      await page.emulateMedia({ colorScheme: null });
    },
  );

  test("nothing went wrong on the way, and nothing left the daemon's origin", () => {
    expect(visitor.faults).toEqual([]);
    expect(visitor.stray).toEqual([]);
  });

  test("a revoked session ends on the pairing page", async () => {
    await page.goto(daemon.url);
    const api = await createApiClient(daemon);
    const { body } = await api.call<{ items: { id: string }[] }>(
      "GET",
      "/api/auth/sessions",
    );
    await api.call("DELETE", `/api/auth/sessions/${body.items[0]?.id}`);
    await page.getByRole("heading", { name: "Pair this browser" }).waitFor();
  });

  /** The rows of an automation's runs. */
  function runs() {
    return page.getByRole("list", { name: "Runs" }).getByRole("listitem");
  }

  /** Types a message and sends it as a user does. */
  async function say(message: string): Promise<void> {
    const box = page.getByRole("textbox", { name: /^Message to/ });
    await box.fill(message);
    await box.press("Enter");
  }

  async function firstId(path: string): Promise<string> {
    const api = await createApiClient(daemon);
    const { body } = await api.call<{ items: { id: string }[] }>("GET", path);
    return body.items[0]?.id ?? "";
  }
});
