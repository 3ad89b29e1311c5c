import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { priceOf } from "@gantry/model-server";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createApiClient, send } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
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
import { createPiUser, realPi } from "../support/pi-user.ts";
import type { PiUser } from "../support/pi-user.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** What a response costs that reports `[[usage:10000:2000]]`. */
const PRICE = 0.06;
const ready = chromiumPath !== undefined && realPi !== undefined;

/** The main job with the real pi, in the order in which it happens: each step depends on the one before. */
describe.skipIf(!ready)("the main job with pi", () => {
  let stack: AsyncDisposableStack;
  let user: PiUser;
  let daemon: Daemon;
  let api: ApiClient;
  let repository: string;
  let visitor: Visitor;
  let page: Page;
  let secret = "";

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("pi-main-job"));
    repository = await createGitRepository(join(folder.path, "sample"));
    user = stack.use(await createPiUser(folder.path));
    daemon = stack.use(
      await startDaemon(join(folder.path, "home"), { env: user.environment }),
    );
    api = await createApiClient(daemon);
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
      ? keepScreenshot(page, `failed-pi-${task.name.replace(/\W+/g, "-")}`)
      : undefined,
  );

  test("pi is found, and is what a new agent gets", async () => {
    await pairVisitor(visitor, daemon);
    await page.getByRole("link", { name: "Agents" }).first().click();
    await page.getByRole("button", { name: "New agent" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`Version ${realPi?.version}`).waitFor();
    await dialog.getByLabel("Name").fill("Watch the sample");
    await dialog.getByRole("combobox", { name: "Folder" }).fill(repository);
    await dialog.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Watch the sample" }).waitFor();
    expect(await theAgent()).toMatchObject({
      cli: "pi",
      cwd: repository,
      state: "closed",
    });
  });

  test("a tool of pi changes a file, and the page shows what", async () => {
    const file = JSON.stringify({ path: "notes.md", content: "# Notes\n" });
    await say(
      `Begin a file of notes. [[usage:10000:2000]][[toolj:write:${file}]][[reply:The notes are there.]]`,
    );
    await conversation()
      .getByText("The notes are there.", { exact: true })
      .waitFor();
    await conversation().getByText("Wrote").first().waitFor();
    expect(await readFile(join(repository, "notes.md"), "utf8")).toBe(
      "# Notes\n",
    );
    const { stdout } = await promisify(execFile)("git", [
      "-C",
      repository,
      "status",
      "--porcelain",
    ]);
    expect(stdout).toBe("?? notes.md\n");
    const [asked, told] = user.models.requests.filter(({ side }) => !side);
    expect(asked?.calls).toMatchObject([{ name: "write" }]);
    expect(told).toMatchObject({ step: 1, text: "The notes are there." });
  });

  test("an answer is on the page while the model still speaks", async () => {
    await say(
      "Tell a story. [[usage:10000:2000]][[reply:Long ago]][[gate:midway]][[reply: all was well.]]",
    );
    await user.models.waitFor(({ gate }) => gate === "midway");
    await conversation().getByText("Long ago", { exact: true }).waitFor();
    await stopButton().waitFor();
    user.models.openGate("midway");
    await conversation()
      .getByText("Long ago all was well.", { exact: true })
      .waitFor();
    await untilAtRest();
  });

  test("a long answer is stopped in the middle, and the request to the model ends", async () => {
    await say("[[usage:10000:2000]][[long:5000:20]]");
    await conversation().getByText("w1 w2 w3").waitFor();
    const request = await user.models.waitFor(
      ({ prompt, outcome }) =>
        prompt.includes("[[long") && outcome === "pending",
    );
    await stopButton().click();
    await user.models.waitFor(
      (other) => other === request && other.outcome === "client-gone",
    );
    await untilAtRest();
    expect(await theAgent()).toMatchObject({
      state: "open",
      activity: "idle",
      dialog: null,
    });
    // What was said until then stays.
    await conversation()
      .getByText(/^w1 w2 w3/)
      .waitFor();
    await conversation().getByText("The turn was stopped.").waitFor();
    expect(request.text).not.toContain("w5000");
    await keepScreenshot(page, "pi-conversation");
  });

  test("what pi asks is answered in the Inbox", async () => {
    await say(
      "[[usage:10000:2000]][[tool:bash:echo careful > careful.txt]][[reply:I was careful.]]",
    );
    await page
      .getByRole("link", { name: /^Inbox/ })
      .first()
      .click();
    await page.getByText("Run echo careful > careful.txt?").first().click();
    await keepScreenshot(page, "pi-question");
    await page.getByRole("button", { name: "Yes" }).first().click();
    await user.models.waitFor(({ text }) => text === "I was careful.");
    expect(await readFile(join(repository, "careful.txt"), "utf8")).toBe(
      "careful\n",
    );
    await page.goto(`${daemon.url}/agents/${(await theAgent()).id}`);
    await conversation().getByText("I was careful.", { exact: true }).waitFor();
    await untilAtRest();
  });

  test("after it was closed it continues the same conversation", async () => {
    const { sessionId } = await theAgent();
    await page.getByRole("button", { name: "More for this agent" }).click();
    await page.getByRole("menuitem", { name: "Close" }).click();
    await expect.poll(async () => (await theAgent()).state).toBe("closed");
    expect(await theAgent()).toMatchObject({ mode: null });
    await page.reload();
    await say("What did I say first? [[usage:10000:2000]][[recall]]");
    // The model lists what pi showed it of the user's words.
    await user.models.waitFor(
      ({ prompt, outcome }) =>
        prompt.includes("[[recall]]") && outcome === "answered",
    );
    await untilAtRest();
    const { text = "" } = user.models.requests.at(-1) ?? {};
    expect(text).toContain("Begin a file of notes.");
    expect(text).toContain("Tell a story.");
    expect(await theAgent()).toMatchObject({ sessionId, state: "open" });
  });

  test("it costs what the model counted", async () => {
    const agent = await theAgent();
    const cost = spent();
    // Two responses for each tool call, the story, and what was said after the resume.
    expect(cost).toBeCloseTo(6 * PRICE, 9);
    expect(agent.usage).toEqual({
      inputTokens: 6 * 10_000,
      outputTokens: 6 * 2_000,
      costUsd: expect.closeTo(cost, 9) as number,
    });
    const figures = page.getByLabel("Spent in the whole conversation");
    await figures.getByText("$0.36", { exact: true }).waitFor();
    const { body } = await api.call<{
      items: { key: string; usage: { costUsd: number } }[];
    }>("GET", "/api/usage?by=agent");
    expect(body.items).toMatchObject([
      { key: agent.id, usage: { costUsd: expect.closeTo(cost, 9) as number } },
    ]);
  });

  test("an automation runs by hand with pi", async () => {
    await page.getByRole("link", { name: "Automations" }).first().click();
    await page.getByRole("link", { name: "New automation" }).first().click();
    await page.getByLabel("Name").fill("Morning brief");
    await page
      .getByLabel("Prompt")
      .fill(
        "What is new? [[usage:10000:2000]][[tool:bash:git log --oneline]][[reply:One commit since yesterday.]]",
      );
    await page.getByLabel("Folder").fill(repository);
    await page.getByRole("switch", { name: "Webhook" }).click();
    await page.getByRole("button", { name: "Create automation" }).click();
    secret = await page
      .getByRole("textbox", { name: "Webhook secret" })
      .inputValue();
    await page.getByRole("button", { name: "Run now" }).click();
    const row = runs().filter({ hasText: "By hand" });
    await row.filter({ hasText: "Done" }).waitFor();
    expect(await row.innerText()).toContain("$0.12");
    const { toolResult } = user.models.requests.at(-1) ?? {};
    expect(toolResult).toMatch(/^[0-9a-f]{7} Begin\n/);
  });

  test("a webhook runs it, and what was posted reaches the model", async () => {
    const automation = await first("/api/automations");
    const answer = await send(
      daemon.base,
      "POST",
      `/api/automations/${automation.id}/fire`,
      "the build of commit 4711 is red",
      { authorization: `Bearer ${secret}` },
    );
    expect(answer).toMatchObject({
      status: 200,
      body: { run: { trigger: "webhook" } },
    });
    await runs()
      .filter({ hasText: "Webhook" })
      .filter({ hasText: "Done" })
      .waitFor();
    const { prompt = "" } = user.models.requests.at(-1) ?? {};
    expect(prompt).toContain("the build of commit 4711 is red");
    const { body } = await api.call<{ items: object[] }>(
      "GET",
      `/api/automations/${automation.id}/runs`,
    );
    expect(body.items).toMatchObject(
      ["webhook", "manual"].map((trigger) => ({
        trigger,
        result: "done",
        message: "One commit since yesterday.",
        costUsd: expect.closeTo(2 * PRICE, 9) as number,
      })),
    );
  });

  test("both answers are in the Inbox, and everything that was spent is counted", async () => {
    await page
      .getByRole("link", { name: /^Inbox/ })
      .first()
      .click();
    const items = page.getByText("One commit since yesterday.");
    await items.nth(1).waitFor();
    await keepScreenshot(page, "pi-inbox");
    const { body } = await api.call<{
      items: { usage: { costUsd: number } }[];
    }>("GET", "/api/usage");
    expect(body.items).toHaveLength(1);
    expect(body.items[0]?.usage.costUsd).toBeCloseTo(spent(), 9);
    expect(spent()).toBeCloseTo(10 * PRICE, 9);

    const agents = page.getByRole("navigation").first();
    await agents.getByRole("link", { name: /^Morning brief/ }).waitFor();
    await page.getByRole("link", { name: "Home" }).first().click();
    const figures = page.getByLabel("Spent by all agents");
    await figures.getByText("$0.60").first().waitFor();
    await keepScreenshot(page, "pi-home");
  });

  test("nothing went wrong on the way, and nothing left the daemon's origin", () => {
    expect(visitor.faults).toEqual([]);
    expect(visitor.stray).toEqual([]);
  });

  interface Agent {
    id: string;
    state: string;
    sessionId: string | null;
    usage: { costUsd: number | null };
  }

  /** The agent that was made by hand. */
  async function theAgent(): Promise<Agent> {
    const { body } = await api.call<{ items: Agent[] }>(
      "GET",
      "/api/agents?q=look",
    );
    expect(body.items).toHaveLength(1);
    return body.items[0]!;
  }

  async function first(path: string): Promise<{ id: string }> {
    const { body } = await api.call<{ items: { id: string }[] }>("GET", path);
    return body.items[0]!;
  }

  /** USD for all responses that the model server gave whole: one that was cut is reported as nothing. */
  function spent(): number {
    return user.models.requests
      .filter(({ outcome }) => outcome === "answered")
      .reduce((sum, { usage }) => sum + (usage ? priceOf(usage) : 0), 0);
  }

  function conversation() {
    return page.getByRole("main");
  }

  function stopButton() {
    return page.getByRole("button", { name: "Stop", exact: true });
  }

  async function untilAtRest(): Promise<void> {
    await stopButton().waitFor({ state: "detached" });
  }

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
});
