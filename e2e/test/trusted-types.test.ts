import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import {
  chromiumPath,
  launchBrowser,
  openVisitor,
  pairVisitor,
} from "../support/browser.ts";
import type { Visitor } from "../support/browser.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const SHELL_PAGES = fileURLToPath(
  new URL("../../ui/shell/app/pages", import.meta.url),
);

/** Sinks that take a string for markup or code, each with a harmless one. */
const SINKS: Record<string, string> = {
  innerHTML: `document.createElement("div").innerHTML = "<b>x</b>"`,
  outerHTML: `document.body.appendChild(document.createElement("i")).outerHTML = "x"`,
  insertAdjacentHTML: `document.createElement("div").insertAdjacentHTML("beforeend", "x")`,
  DOMParser: `new DOMParser().parseFromString("x", "text/html")`,
  fragment: `document.createRange().createContextualFragment("x")`,
  srcdoc: `document.createElement("iframe").srcdoc = "x"`,
  "srcdoc as an attribute": `document.createElement("iframe").setAttribute("srcdoc", "x")`,
  "the source of a script": `document.createElement("script").src = "/x.js"`,
  "the text of a script": `document.createElement("script").text = "1"`,
  "an attribute that runs": `document.body.setAttribute("onclick", "1")`,
  write: `document.write("x")`,
  "a policy of one's own": `trustedTypes.createPolicy("own", { createHTML: (text) => text })`,
  "a default policy": `trustedTypes.createPolicy("default", { createHTML: (text) => text })`,
  "Vue's policy again": `trustedTypes.createPolicy("vue", { createHTML: (text) => text })`,
};

describe.skipIf(chromiumPath === undefined)("trusted types", () => {
  let stack: AsyncDisposableStack;
  let daemon: Daemon;
  let api: ApiClient;
  let visitor: Visitor;
  let page: Page;
  let agentId: string;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("trusted-types"));
    daemon = stack.use(await startDaemon(join(folder.path, "home")));
    api = await createApiClient(daemon);
    const browser = stack.use(await launchBrowser());
    visitor = await openVisitor(browser, daemon);
    ({ page } = visitor);
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(window, { violations: seen });
      document.addEventListener("securitypolicyviolation", (event) =>
        seen.push(`${event.violatedDirective}: ${event.sample}`),
      );
    });
    await pairVisitor(visitor, daemon);
    const cwd = join(folder.path, "work");
    await furnish(cwd);
    agentId = await create("/api/agents", { cli: "practice", name: "A", cwd });
    const text =
      "# Title\n\n**bold** `code` ![x](data:image/png;base64,AA==)\n\n```js\nlet a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |";
    await api.call("POST", `/api/agents/${agentId}/ask`, {
      text: `[[reply:${text}]]`,
    });
  });

  afterAll(() => stack.disposeAsync());

  async function create(path: string, body: object): Promise<string> {
    const answer = await api.call<
      Record<string, { id: string }> & { id: string }
    >("POST", path, body);
    expect(answer.status, path).toBe(200);
    return answer.body.id ?? answer.body["automation"]?.id;
  }

  /** Opens a page, waits for a sign that it is drawn, and looks for what its policy held back. */
  async function look(
    path: string,
    sign = page.getByRole("heading", { level: 1 }).first(),
  ): Promise<void> {
    await page.goto(daemon.url + path);
    await sign.waitFor();
    await page.waitForLoadState("load");
    const violations = await page.evaluate(
      () => (window as unknown as { violations: string[] }).violations,
    );
    expect(violations, path).toEqual([]);
    expectNoFaults(path);
  }

  /** That the script of the foreign page is held back by its frame is what this test is about. */
  function expectNoFaults(path?: string): void {
    const faults = visitor.faults.filter(
      (fault) => !fault.includes("'about:srcdoc'"),
    );
    expect(faults, path).toEqual([]);
  }

  test(
    "pages of the shell and of the plugins are drawn without a violation",
    { tags: "thorough" },
    async () => {
      const automation = await create("/api/automations", {
        name: "Nightly",
        mode: "start",
        cli: "practice",
        prompt: "Look",
        schedules: [{ frequency: "daily", time: "04:00", timeZone: "UTC" }],
      });
      await api.call("POST", `/api/automations/${automation}/run`, {});
      const snippet = await create("/api/snips", {
        kind: "prompt",
        title: "Say",
        body: "{{name=x}}",
      });
      const settings = (await readdir(join(SHELL_PAGES, "settings")))
        .filter((name) => name.endsWith(".vue"))
        .map((name) => `/settings/${name.replace(/(index)?\.vue$/, "")}`);
      expect(settings).toContain("/settings/devices");
      const paths = [
        "/",
        `/agents/${agentId}`,
        `/automations/${automation}/edit`,
        "/inbox",
        `/snippets/${snippet}`,
        "/terminals",
        "/dashboard",
        ...settings,
        "/agents",
        `/agents/${agentId}/changes`,
        `/agents/${agentId}/history`,
        "/automations",
        "/automations/new",
        "/automations/describe",
        "/automations/week",
        `/automations/${automation}`,
        `/automations/${automation}/duplicate`,
        "/snippets",
        "/snippets/new",
        "/browser",
        "/browser/downloads",
        "/browser/annotations",
        "/browser/sites",
        "/browser/agents",
      ];
      for (const path of paths) await look(path);
      // Found commands are drawn with HTML that marks what was typed.
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.type("inb");
      expectNoFaults();
    },
  );

  test(
    "an editor, a picture, a foreign page and a terminal are drawn without a violation",
    { tags: "thorough" },
    async () => {
      const file = (name: string) => `/agents/${agentId}/files?path=${name}`;
      await look(file("code.ts"), page.locator(".cm-content"));
      await look(file("dot.svg"), page.locator('img[src*="blob"]').first());
      await look(file("read.md"));
      await look(file("page.html"), page.locator(".cm-content"));
      await page
        .getByRole("button", { name: "Preview" })
        .or(page.getByRole("tab", { name: "Preview" }))
        .first()
        .click();
      const frame = page.locator("iframe[sandbox]");
      await frame.waitFor();
      await expect
        .poll(() => frame.contentFrame().locator("h1").textContent())
        .toBe("Foreign");
      expect(
        await frame.contentFrame().locator("body").getAttribute("data-ran"),
      ).toBeNull();
      const terminal = await create("/api/terminals", { command: "sh" });
      await look(`/terminals/${terminal}`, page.locator(".xterm-screen"));
    },
  );

  test(
    "the reference for people is drawn without a violation",
    { tags: "thorough" },
    async () => {
      await look("/docs", page.getByText("Make an agent").first());
      await page.getByText("Make an agent").first().click();
      await page.getByText("thinking").first().waitFor();
      await look("/docs", page.getByText("Make an agent").first());
    },
  );

  test(
    "no page takes a string for markup or code",
    { tags: "thorough" },
    async () => {
      for (const path of ["/", "/docs"]) {
        const other = await visitor.context.newPage();
        await other.goto(daemon.url + path);
        await other.locator("body *").first().waitFor();
        for (const [name, code] of Object.entries(SINKS)) {
          const refused = await other.evaluate(
            `(() => { try { ${code}; return "taken"; } catch (error) { return error.name; } })()`,
          );
          expect(refused, `${path} ${name}`).toBe("TypeError");
        }
        await other.close();
      }
    },
  );

  test("before a browser is paired as well", { tags: "thorough" }, async () => {
    const browser = stack.use(await launchBrowser());
    const stranger = await openVisitor(browser, daemon);
    await stranger.page.goto(`${daemon.url}/pair`);
    await stranger.page.getByRole("heading").first().waitFor();
    expect(
      stranger.faults.filter((fault) => !fault.includes("status of 401")),
    ).toEqual([]);
  });
});

async function furnish(folder: string): Promise<void> {
  await mkdir(folder);
  const files = {
    "code.ts": "export const one = 1;\n",
    "read.md": "# Read\n\n- [ ] me\n",
    "dot.svg":
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>',
    "page.html":
      "<h1>Foreign</h1><script>document.body.dataset.ran = 1</script>",
  };
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), content);
  await createGitRepository(folder);
}
