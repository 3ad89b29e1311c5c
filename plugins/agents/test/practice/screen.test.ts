import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { practiceConfig, practiceParts } from "../../src/clis/practice-cli.ts";
import type { AgentScreen } from "../../src/driver.ts";
import { until } from "../help/wait.ts";

const ID = "practice-00000000-0000-4000-8000-000000000000";
const PROGRAM = fileURLToPath(
  new URL("../../src/practice/main.ts", import.meta.url),
);

let folder: string;
let children: ChildProcessWithoutNullStreams[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-screen-"));
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** The screen, typed at. */
function show(args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd: folder });
  children.push(child);
  let shown = "";
  child.stdout.on("data", (chunk) => (shown += String(chunk)));
  return {
    child,
    type: (text: string) => child.stdin.write(text),
    shows: (text: string) =>
      until(() => shown.includes(text), `${text} is shown in ${shown}`),
    text: () => shown,
  };
}

const sessionArgs = () => [
  "--conditions=gantry-source",
  PROGRAM,
  ...["--sessions", join(folder, "sessions"), "--screen", "--session", ID],
];

test("it takes lines and answers them, and a later line continues the conversation", async () => {
  const screen = show(sessionArgs());
  screen.type("hello\r");
  await screen.shows("practice: hello");
  screen.type("[[plan:look;do]][[cost:0.5]][[run:echo $((40 + 2))]]\n");
  await screen.shows("[x] do");
  for (const words of ["[>] look", "(spent $0.5 so far)", "42\n"])
    expect(screen.text()).toContain(words);
  screen.type("\x04");
  expect(await once(screen.child, "exit")).toEqual([0, null]);

  const later = show(sessionArgs());
  await later.shows("> hello\npractice: hello");
  later.type("[[recall]]\r");
  await later.shows('recall ["hello"');
});

test("a paste is one prompt, however many lines it has", async () => {
  const screen = show(sessionArgs());
  screen.type("\x1b[200~[[reply:first]]\n[[reply: and sec");
  screen.type("ond]]\x1b[201");
  screen.type("~\r");
  await screen.shows("first and second\n> ");
});

test("what was typed wrong is taken back, and other keys mean nothing", async () => {
  const screen = show(sessionArgs());
  screen.type("good dax\x7fy\x1b[A\x1b[1;5D\x07\r");
  await screen.shows("practice: good day\n");
});

test("a question is answered on the screen", async () => {
  const screen = show(sessionArgs());
  screen.type("[[ask:Write?]][[reply:written]]\r");
  await screen.shows("Write? — 1 Allow, 2 Always allow, 3 Reject?");
  screen.type("1\r");
  await screen.shows("Allowed.");
  await screen.shows("written");
  screen.type("[[ask:Again?]][[reply:never]]\r");
  await screen.shows("Again? —");
  screen.type("x\r");
  await screen.shows("Not allowed.");
  expect(screen.text()).not.toContain("never\n");
});

test("Ctrl-C stops what is running, and then the screen", async () => {
  const screen = show(sessionArgs());
  screen.type("[[reply:begun]][[run:sleep 300]]\r");
  await screen.shows("[sleep 300]");
  screen.type("\x03");
  await screen.shows("(stopped)");
  screen.type("\x03");
  expect(await once(screen.child, "exit")).toEqual([0, null]);
});

test("slash commands work on the screen", async () => {
  const screen = show(sessionArgs());
  screen.type("one\r/compact\r[[recall]]\r");
  await screen.shows("practice: compacted 2 messages.");
  await screen.shows("recall [");
  expect(screen.text()).not.toContain('"one"');
  screen.type("/help\r");
  await screen.shows("[[reply:TEXT]]");
});

test("it says that there is nothing to log in to", async () => {
  const login = practiceParts(folder).login;
  const { command, args, env } = practiceConfig(folder);
  const program = login({ file: command, args, env, version: null });
  await show(program.args).shows("nothing to log in to");
});

/**
 * A daemon that has one message for a client that says hello, and loses the first confirmation. Once it has the second
 * one, there are no more messages, and a client that asks has to wait.
 */
async function startDaemon(): Promise<{
  server: Server;
  url: string;
  calls: { path: string; authorization: string; body: unknown }[];
}> {
  const calls: { path: string; authorization: string; body: unknown }[] = [];
  let acks = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as unknown;
      const { authorization = "", origin } = request.headers;
      const path = request.url ?? "";
      calls.push({ path, authorization, body });
      const isAck = path.endsWith("/tui-ack");
      if (isAck && ++acks === 1) return response.destroy();
      if (!origin) return response.writeHead(403).end();
      response.setHeader("content-type", "application/json");
      const messages =
        acks > 1 ? [] : [{ nonce: "n1", text: "[[reply:from afar]]" }];
      const answer = isAck ? { ok: true } : { ok: true, messages };
      // As the real one does, which answers when there is something or the time is over.
      if (!isAck && acks > 1) return;
      response.end(JSON.stringify(answer));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}/api/agents/agt_x`, calls };
}

test(
  "it takes messages from the daemon, each once",
  { tags: "thorough" },
  async () => {
    const { server, url, calls } = await startDaemon();
    const { command, args, env } = practiceConfig(folder);
    const screenOf = practiceParts(folder).screen;
    const screen: AgentScreen = await screenOf(
      {
        agentId: "agt_x",
        cli: "practice",
        command: { file: command, args, env, version: null },
        cwd: folder,
        resume: null,
        model: null,
        thinking: null,
        extraPrompt: null,
        readOnly: false,
        asksFirst: false,
        readingEnvironment: {},
        tools: [],
        trusted: true,
        folder,
        start: () => Promise.reject(new Error("A screen starts nothing.")),
        receiver: { url, token: "secret-token" },
      },
      new AbortController().signal,
    );
    expect(screen).toMatchObject({ file: process.execPath, hasReceiver: true });
    expect(JSON.stringify(screen)).not.toContain("secret-token");
    expect((await stat(join(folder, "receiver.json"))).mode & 0o777).toBe(
      0o600,
    );
    const { shows, text, child } = show(screen.args);
    await shows("from afar");
    const acked = await until(
      () => calls.filter(({ path }) => path.endsWith("/tui-ack"))[1],
      "it was confirmed again",
    );
    expect(acked).toEqual({
      path: "/api/agents/agt_x/tui-ack",
      authorization: "Bearer secret-token",
      body: { nonce: "n1", ok: true },
    });
    expect(calls[0]?.body).toEqual({
      sessionId: screen.session?.sessionId,
      pid: child.pid,
    });
    expect(text().split("from afar")).toHaveLength(2);
    server.closeAllConnections();
    server.close();
  },
);
