import { join } from "node:path";
import { expect } from "vitest";
import {
  createApiClient,
  createTemporaryFolder,
  launchBrowser,
  openVisitor,
  pairVisitor,
  startDaemon,
  type Daemon,
  type Visitor,
} from "./e2e.ts";

/** A built daemon, and a browser that is paired with it. */
export interface Bench {
  readonly daemon: Daemon;
  readonly folder: string;
  readonly page: Visitor["page"];
  readonly visitor: Visitor;
  createAgent(fields: { name: string; cwd?: string }): Promise<{ id: string }>;
  /** Checks that nothing went wrong in the browser, and that it requested nothing from elsewhere. */
  expectPeace(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a daemon with agents that need no model. `plugins` are the folders of the plugins that it loads. */
export async function openBench(
  plugins: readonly string[] = ["agents", "acp", "practice", "workspace"],
): Promise<Bench> {
  const folder = await createTemporaryFolder("workspace-ui");
  const daemon = await startDaemon(join(folder.path, "home"), {
    args: ["--plugins", plugins.join()],
  });
  const browser = await launchBrowser();
  const visitor = await openVisitor(browser, daemon);
  await pairVisitor(visitor, daemon);
  const { page, faults, stray } = visitor;
  page.setDefaultTimeout(60_000);
  return {
    daemon,
    folder: folder.path,
    page,
    visitor,
    async createAgent(fields) {
      const api = await createApiClient(daemon);
      const body = { cli: "practice", ...fields };
      const answer = await api.call<{ id: string }>(
        "POST",
        "/api/agents",
        body,
      );
      expect(answer).toMatchObject({ status: 200 });
      return answer.body;
    },
    expectPeace() {
      expect(faults).toEqual([]);
      expect(stray).toEqual([]);
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await daemon[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
