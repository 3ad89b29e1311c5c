import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import type { Snippet } from "../../../src/contract.ts";
import { createFakeTerminals, type FakeTerminals } from "./fake-terminals.ts";

/** A kernel with the built shell, the built snippets and agents, terminals that take everything, and a browser. */
export interface Stage extends BrowserStage {
  terminals: FakeTerminals;
  /** Removes what another test left: snippets, agents, open pages, and what the browser has stored. */
  reset(): Promise<void>;
  create(fields: object): Promise<Snippet>;
  /** Makes an agent, in a repository if there is a branch. */
  createAgent(name: string, branch?: string): Promise<string>;
}

const packageFolder = fileURLToPath(new URL("../../../", import.meta.url));

export async function startStage(): Promise<Stage> {
  const terminals = createFakeTerminals();
  const stage = await startBrowserStage([terminals.plugin], {
    package: packageFolder,
    beside: ["../agents"],
    settings: { agents: { defaultCli: "practice" } },
  });
  const { kernel, folder, browser } = stage;

  async function removeAll(path: string): Promise<void> {
    const { body } = await kernel.api.get<{ items: { id: string }[] }>(
      `${path}?limit=500`,
    );
    for (const { id } of body.items) await kernel.api.delete(`${path}/${id}`);
  }

  return {
    ...stage,
    terminals,
    async reset() {
      for (const context of browser.contexts()) {
        // The first page of a window is the one that stays open.
        const [first, ...others] = context.pages();
        for (const page of others) await page.close();
        await first?.evaluate(() => localStorage.clear());
      }
      await removeAll("/api/snips");
      await removeAll("/api/agents");
      terminals.given.length = 0;
    },
    async create(fields) {
      // The newest stands first, so no two may be of one moment.
      await kernel.clock.advance(1000);
      const { status, body } = await kernel.api.post<Snippet>(
        "/api/snips",
        fields,
      );
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body;
    },
    async createAgent(name, branch) {
      const cwd = join(folder, "work", name.toLowerCase().replace(" ", "-"));
      await mkdir(cwd, { recursive: true });
      if (branch !== undefined) {
        // As little as is a repository to git.
        const git = join(cwd, ".git");
        for (const part of ["objects", "refs"])
          await mkdir(join(git, part), { recursive: true });
        await writeFile(join(git, "HEAD"), `ref: refs/heads/${branch}\n`);
      }
      const { body } = await kernel.api.post<{ id: string }>("/api/agents", {
        name,
        cwd,
        cli: "practice",
      });
      return body.id;
    },
  };
}
