import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startModelServer } from "@gantry/model-server";
import type { ModelServer } from "@gantry/model-server";
import type { Locator, Page } from "playwright-core";
import { createApiClient } from "./api-client.ts";
import type { ApiClient } from "./api-client.ts";
import {
  chromiumPath,
  launchBrowser,
  openVisitor,
  pairVisitor,
} from "./browser.ts";
import type { Visitor } from "./browser.ts";
import type { RealCli } from "./cli-users.ts";
import { startDaemon } from "./daemon.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** An agent, as far as these tests read it. */
export interface BrowsingAgent {
  id: string;
  cwd: string;
}

/** A daemon whose agents are a real CLI with a scripted model, and a paired browser of its user. */
export interface BrowsingStage extends AsyncDisposable {
  readonly models: ModelServer;
  readonly api: ApiClient;
  readonly visitor: Visitor;
  readonly page: Page;
  conversation(): Locator;
  /** The items of a list of the API. */
  list<Item>(path: string): Promise<Item[]>;
  /** Creates the agent "Ada" with this policy of the browser, and opens its page. */
  createAgent(policy: object): Promise<BrowsingAgent>;
  /** Sends a message from the page of the agent. */
  say(text: string): Promise<void>;
  /** The result of the tool that the model called last before it said `text`. */
  resultBefore(text: string): Promise<string>;
}

/** Starts the stage; `undefined` if the CLI cannot be installed. */
export async function startBrowsingStage(
  cli: RealCli,
): Promise<BrowsingStage | undefined> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await createTemporaryFolder("browser-tools"));
  const models = await startModelServer();
  started.defer(() => models.close());
  const settings = await cli.configure(join(folder.path, "user"), models.url);
  if (!settings) return undefined;
  const home = join(folder.path, "home");
  await mkdir(home, { mode: 0o700 });
  const config = {
    settings: {
      agents: { clis: { [cli.name]: settings } },
      browser: { command: chromiumPath, sandbox: "off" },
    },
  };
  await writeFile(join(home, "config.json"), JSON.stringify(config), {
    mode: 0o600,
  });
  const daemon = started.use(await startDaemon(home));
  const api = await createApiClient(daemon);
  const browser = started.use(await launchBrowser());
  const visitor = await openVisitor(browser, daemon, {
    viewport: { width: 1280, height: 900 },
  });
  const { page } = visitor;
  await pairVisitor(visitor, daemon);
  const stack = started.move();
  return {
    ...{ models, api, visitor, page },
    conversation: () => page.getByRole("main"),
    list: async <Item>(path: string) =>
      (await api.call<{ items: Item[] }>("GET", path)).body.items,
    async createAgent(policy) {
      const { body } = await api.call<BrowsingAgent>("POST", "/api/agents", {
        ...{ name: "Ada", cli: cli.name },
      });
      await api.call("PUT", `/api/browser/policies/${body.id}`, policy);
      await page.goto(`${daemon.url}/agents/${body.id}`);
      return body;
    },
    async say(text) {
      const box = page.getByRole("textbox", { name: /^Message to/ });
      await box.fill(text);
      await box.press("Enter");
    },
    async resultBefore(text) {
      const { toolResult } = await models.waitFor(
        (one) => one.outcome === "answered" && one.text === text,
      );
      // Some wires carry the result as JSON.
      return String(toolResult).replaceAll('\\"', '"');
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
