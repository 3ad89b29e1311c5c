import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { ApiClient } from "./api-client.ts";
import { chromiumPath } from "./browser.ts";
import type { Daemon } from "./daemon.ts";

/** A server of a test on a port of this machine. */
export interface LocalServer {
  readonly port: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** One call of a browser tool, and what its answer has to say. */
export interface WalkStep {
  tool: string;
  input: object;
  says: RegExp;
}

/** What an agent asks its user. */
export interface BrowserQuestion {
  id: string;
  agentId: string;
  site: string;
}

/** It prints its port, then serves one page with a field and a button. */
const DEV_SERVER = `
const page = "<!doctype html><title>Shop</title><h1>Shop</h1>" +
  "<input aria-label=Size><button>Buy</button><p></p><script>" +
  "document.querySelector('button').onclick = () => {" +
  "document.querySelector('p').textContent =" +
  "'Bought ' + document.querySelector('input').value;};</script>";
require("node:http")
  .createServer((request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(page))
  .listen(0, "127.0.0.1", function () { console.log(this.address().port); });
`;

/** Writes the settings of a daemon whose browser is the one of the tests. */
export async function writeBrowserHome(home: string): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  // Without the sandbox it runs in any container, and as any user.
  const browser = { command: chromiumPath, sandbox: "off" };
  await writeFile(
    join(home, "config.json"),
    JSON.stringify({ settings: { browser } }),
  );
}

/** Starts a dev server in the folder of an agent, in a process of its own. */
export async function startDevServer(cwd: string): Promise<LocalServer> {
  await mkdir(cwd, { recursive: true });
  const child = spawn(process.execPath, ["-e", DEV_SERVER], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return {
    port: Number(line.toString()),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Starts a server that no agent has anything to do with. */
export async function startOtherServer(): Promise<LocalServer> {
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { "content-type": "text/html" })
      .end("<title>Other</title><h1>Another server</h1>"),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What an agent with the tier `act` does on its own dev server, and where it may not go. */
export function walkOwnServer(own: LocalServer, daemon: Daemon): WalkStep[] {
  return [
    {
      tool: "browser_navigate",
      input: { to: `http://localhost:${own.port}/` },
      says: /heading .*Shop/,
    },
    { tool: "browser_snapshot", input: {}, says: /button .*Buy.*ref=e3/ },
    {
      tool: "browser_type",
      input: { ref: "e2", text: "Large" },
      says: /Size.*Large/,
    },
    { tool: "browser_click", input: { ref: "e3" }, says: /Bought Large/ },
    {
      tool: "browser_navigate",
      input: { to: "file:///etc/passwd" },
      says: /pages of .*file:.* are not allowed/,
    },
    {
      tool: "browser_navigate",
      input: { to: daemon.base },
      says: /this is Gantry itself, which pages may not open/,
    },
  ];
}

/** The call of a site that no policy lists, so that the user is asked. */
export function walkElsewhere(other: LocalServer): WalkStep {
  return {
    tool: "browser_navigate",
    input: { to: `http://localhost:${other.port}/` },
    says: /Another server/,
  };
}

/** The questions that wait for an answer. */
export async function readQuestions(
  api: ApiClient,
): Promise<BrowserQuestion[]> {
  const path = "/api/browser/questions";
  return (await api.call<{ items: BrowserQuestion[] }>("GET", path)).body.items;
}
