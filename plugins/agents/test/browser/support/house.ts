import { WAIT_MS } from "@gantry/build/testing";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Agent } from "../../../ui/wire.ts";
import {
  INIT,
  limited,
  result,
  say,
  taskStarted,
} from "../../help/claude-lines.ts";
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

const PLAYED = fileURLToPath(
  new URL("../../stand-ins/played-claude.ts", import.meta.url),
);
const STAND_IN = fileURLToPath(
  new URL("../../stand-ins/fake-pi.ts", import.meta.url),
);

/** CLIs that leave a background task running, and that have reached a usage limit. */
function playedClis(): Record<string, object> {
  const waiting = "I will report when the tests are done.";
  const words = "You've hit your limit";
  const plays = {
    background: [INIT, taskStarted("t1"), say(waiting), result(waiting)],
    limited: [INIT, limited("rejected"), say(words), result(words)],
  };
  const toCli = (play: readonly object[]) => ({
    driver: "claude",
    command: process.execPath,
    args: [PLAYED],
    env: { FAKE_CLAUDE_PLAY: JSON.stringify([play]) },
  });
  return Object.fromEntries(
    Object.entries(plays).map(([name, play]) => [name, toCli(play)]),
  );
}

type Page = Visitor["page"];

/** A built daemon, and a browser that is paired with it. */
export interface House {
  readonly daemon: Daemon;
  readonly folder: string;
  readonly page: Page;
  readonly visitor: Visitor;
  createAgent(fields: Partial<Agent> & { name: string }): Promise<Agent>;
  read(agentId: string): Promise<Agent>;
  prompt(agentId: string, message: string): Promise<void>;
  /** Opens an agent's page and waits for its composer. */
  open(agentId: string): Promise<void>;
  /** Ends the daemon and starts it again where it was. */
  restart(): Promise<void>;
  /** Nothing went wrong in the browser, and nothing left the daemon. */
  expectPeace(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts it all. `standin` is a CLI that speaks pi's wire, which takes messages into a running turn. */
export async function openHouse(
  options: Parameters<typeof openVisitor>[2] = {},
): Promise<House> {
  const folder = await createTemporaryFolder("agents-ui");
  const home = join(folder.path, "home");
  await mkdir(home, { mode: 0o700 });
  const standin = {
    driver: "pi",
    command: process.execPath,
    args: [STAND_IN],
    env: { FAKE_PI_HOME: join(folder.path, "pi") },
  };
  await writeFile(
    join(home, "config.json"),
    JSON.stringify({
      settings: {
        agents: {
          defaultCli: "practice",
          clis: { standin, ...playedClis() },
        },
      },
    }),
  );
  const only = ["--plugins", "agents"];
  let daemon = await startDaemon(home, { args: only });
  const browser = await launchBrowser();
  const visitor = await openVisitor(browser, daemon, options);
  await pairVisitor(visitor, daemon);
  const { page, faults, stray } = visitor;
  page.setDefaultTimeout(WAIT_MS);

  async function call<Body>(method: string, path: string, body?: object) {
    const api = await createApiClient(daemon);
    const answer = await api.call<Body>(method, path, body);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body;
  }

  return {
    get daemon() {
      return daemon;
    },
    folder: folder.path,
    page,
    visitor,
    createAgent: (fields) => call<Agent>("POST", "/api/agents", fields),
    read: (agentId) => call<Agent>("GET", `/api/agents/${agentId}`),
    async prompt(agentId, message) {
      await call("POST", `/api/agents/${agentId}/prompt`, { message });
    },
    async open(agentId) {
      await page.goto(`${daemon.url}/agents/${agentId}`);
      await page.getByRole("textbox", { name: /^Message to / }).waitFor();
    },
    async restart() {
      const { port } = daemon;
      await daemon.stop();
      daemon = await startDaemon(home, {
        args: [...only, "--port", String(port)],
      });
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

/** What can be read of a conversation, without times. */
export async function readConversation(page: Page): Promise<string> {
  const text = await page.getByRole("feed").innerText();
  return text.replace(/\d{1,2}:\d\d( [AP]M)?/g, "").replace(/\s+/g, " ");
}
