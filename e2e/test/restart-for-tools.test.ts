import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keepPicture } from "@gantry/build/testing";
import { findBarriers } from "@gantry/ui-kit/testing";
import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import {
  chromiumPath,
  launchBrowser,
  openVisitor,
  pairVisitor,
} from "../support/browser.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const SERVER = `require("node:http").createServer((request, response) => response.end("It runs"))
  .listen(0, "127.0.0.1", function () { require("node:fs").writeFileSync(process.argv[2], String(this.address().port)); });`;

interface Agent {
  id: string;
  state: string;
  activity: string;
  pendingRestart: { ports: number[] } | null;
}

(chromiumPath === undefined ? test.skip : test)(
  "new tools do not end an agent's server: the user is told, and restarts the agent",
  { tags: ["thorough"] },
  async () => {
    await using folder = await createTemporaryFolder("restart-for-tools");
    const home = join(folder.path, "home");
    await mkdir(home, { mode: 0o700 });
    await writeFile(
      join(home, "config.json"),
      JSON.stringify({
        settings: { browser: { command: chromiumPath, sandbox: "off" } },
      }),
      { mode: 0o600 },
    );
    const program = join(folder.path, "server.cjs");
    await writeFile(program, SERVER);
    await using daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    const create = async (name: string) =>
      (await api.call<Agent>("POST", "/api/agents", { name, cli: "practice" }))
        .body.id;
    const get = async (id: string) =>
      (await api.call<Agent>("GET", `/api/agents/${id}`)).body;
    const ask = async (id: string, text: string) =>
      (
        await api.call<{ answer: string }>(
          ...(["POST", `/api/agents/${id}/ask`, { text }] as const),
        )
      ).body.answer;
    const allow = (id: string, tier: string) =>
      api.call("PUT", `/api/browser/policies/${id}`, { tier });

    const id = await create("Shop");
    // As agents leave a server running: in the background of a command that ends.
    const file = join(folder.path, "port");
    await ask(
      id,
      `[[run:node ${program} ${file} > /dev/null 2>&1 & until [ -s ${file} ]; do sleep 0.05; done]]`,
    );
    const port = Number(await readFile(file, "utf8"));
    const answers = () =>
      fetch(`http://localhost:${port}/`).then(
        (response) => response.ok,
        () => false,
      );
    expect(await answers()).toBe(true);

    await using browser = await launchBrowser();
    const visitor = await openVisitor(browser, daemon, {
      viewport: { width: 1280, height: 900 },
      colorScheme: "light",
    });
    const { page, faults } = visitor;
    await pairVisitor(visitor, daemon);
    await page.goto(`${daemon.url}/agents/${id}`);
    const choice = page.getByRole("region", { name: "Browser" });
    const notice = choice.getByRole("status").filter({ hasText: "restarts" });
    await choice.getByRole("radio", { name: "Act" }).click();
    await notice
      .getByText(`A restart ends its server on port ${port}.`)
      .waitFor();
    expect(await get(id)).toMatchObject({
      ...{ state: "open", pendingRestart: { ports: [port] } },
    });
    expect(await ask(id, "[[tools]]")).toContain("tools none");
    expect(await answers()).toBe(true);
    await page.reload();
    await notice.scrollIntoViewIfNeeded();
    await keepPicture(page, "browser/restart-1280-light");
    expect(await findBarriers(page)).toEqual([]);

    await page.goto(`${daemon.url}/browser/agents`);
    await page.getByText("A restart ends its server on port").waitFor();
    expect(await findBarriers(page)).toEqual([]);

    await page.goto(`${daemon.url}/agents/${id}`);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "About this agent" }).click();
    await notice.scrollIntoViewIfNeeded();
    await keepPicture(page, "browser/restart-390-dark");
    expect(await findBarriers(page)).toEqual([]);
    await notice.getByRole("button", { name: "Restart now" }).focus();
    await page.keyboard.press("Enter");
    await notice.waitFor({ state: "detached" });
    await expect.poll(answers).toBe(false);
    expect(await ask(id, "[[tools]]")).toContain("browser_navigate");
    expect(faults).toEqual([]);

    // An agent without a server is closed at once, which no user notices: its next message opens it with the tools.
    const other = await create("Docs");
    await ask(other, "[[reply:ready]]");
    await allow(other, "act");
    await expect.poll(async () => (await get(other)).state).toBe("closed");
    expect(await ask(other, "[[tools]]")).toContain("browser_navigate");
  },
);
