import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { AgentDriver } from "../../src/driver.ts";
import { createPiDriver } from "../../src/drivers/pi/pi-driver.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { DriverBench } from "../help/driver-bench.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";
import { until } from "../help/wait.ts";

const NEVER = new AbortController().signal;
const receiver = {
  url: "http://127.0.0.1:1/api/agents/agt_x",
  token: "s3cret",
};

let bench: DriverBench;
let driver: AgentDriver;

beforeAll(async () => {
  bench = await DriverBench.start();
  driver = createPiDriver(bench.host);
});
afterAll(() => bench.stop());

const inputOf = (version: string) =>
  bench.input({
    args: standIn("fake-pi")?.args ?? [],
    env: { FAKE_PI_VERSION: version, FAKE_PI_HOME: bench.folder },
    version,
  });

test.each([
  ["0.74.2", []],
  ["0.87.1", ["--approve"]],
])(
  "the screen of %s continues with the file of the conversation",
  async (version, trust) => {
    const input = await inputOf(version);
    const open = await bench.open(driver, input);
    await open.turn("one [[reply:one]]");
    await open.session.end();
    const screen = await driver.screen?.(
      { ...input, receiver, model: "a/b", resume: open.resumePoint() },
      NEVER,
    );
    const file = join(input.folder, "pi-receiver.ts");
    expect(screen).toEqual({
      file: input.command.file,
      args: [
        ...input.command.args,
        ...["--session", open.session.resumeKey, "--model", "a/b"],
        ...trust,
        ...["-e", file],
      ],
      env: { PI_SKIP_VERSION_CHECK: "1", ...input.command.env },
      session: {
        sessionId: open.session.sessionId,
        resumeKey: open.session.resumeKey,
      },
      hasReceiver: true,
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(screen)).not.toContain(receiver.token);
  },
);

test("a fresh screen has a conversation that the protocol continues", async () => {
  const input = await inputOf("0.87.1");
  const screen = await driver.screen?.({ ...input, receiver }, NEVER);
  const { sessionId = "", resumeKey = null } = screen?.session ?? {};
  expect(JSON.parse(await readFile(resumeKey ?? "", "utf8"))).toMatchObject({
    type: "session",
    id: sessionId,
    cwd: input.cwd,
  });
  const resume = { sessionId, resumeKey, reportedCostUsd: null, fork: null };
  const { session } = await bench.open(driver, { ...input, resume });
  expect(session.sessionId).toBe(sessionId);
});

test("a conversation that was begun in the screen is continued", async () => {
  const clis = {
    pi: standIn("fake-pi", {
      FAKE_PI_VERSION: "0.87.1",
      FAKE_PI_HOME: bench.folder,
    }),
  };
  const terminals = new FakeTerminals();
  onTestFinished(() => terminals.stop());
  await using agents = await AgentsKernel.start({
    clis,
    beside: [terminals.plugin],
  });
  const { id } = await agents.create({ cli: "pi" });
  await agents.ask(id, "[[reply:old]]");
  // What pi writes for /new on its screen, and for what is said then.
  const other = await bench.open(driver, await inputOf("0.87.1"));
  await other.turn("[[reply:begun in the screen]]");
  await other.session.end();
  await agents.kernel.api.post(`/api/agents/${id}/open`);
  const { program } = terminals.opened[0] ?? {};
  const extension = await readFile(program?.args.at(-1) ?? "", "utf8");
  const { token } = JSON.parse(
    /^const post = (.*);$/m.exec(extension)?.[1] ?? "{}",
  ) as { token: string };
  const { sessionId, resumeKey } = other.session;
  void agents.kernel.stranger.post(
    `/api/agents/${id}/tui-hello`,
    { sessionId, resumeKey, pid: 1 },
    { authorization: `Bearer ${token}` },
  );
  await agents.untilAgent(
    id,
    (agent) => agent.sessionId === sessionId,
    "the conversation is known",
  );
  await agents.close(id);
  const { body } = await agents.ask(id, "[[recall]]");
  expect(body.answer).toContain("begun in the screen");
  expect((await agents.get(id)).sessionId).toBe(sessionId);
});

test("what is small already is not shrunk, and no failure", async () => {
  const open = await bench.open(driver, await inputOf("0.87.1"));
  expect(await open.session.compact?.(NEVER)).toEqual({
    compacted: false,
    tokensBefore: null,
    tokensAfter: null,
  });
  expect(open.of("notice")).toEqual([]);
});

test("what shrinking costs is counted where pi says it", async () => {
  const open = await bench.open(driver, await inputOf("0.87.1"));
  await open.turn("one [[reply:one]]");
  await open.turn("two [[reply:two]]");
  expect(await open.session.compact?.(NEVER)).toEqual({
    compacted: true,
    tokensBefore: 3000,
    tokensAfter: 100,
  });
  expect(open.of("usage").at(-1)?.usage).toEqual({
    inputTokens: 9,
    outputTokens: 0,
    costUsd: 0.125,
  });
});

test("kinds of commands are told", async () => {
  const open = await bench.open(driver, await inputOf("0.74.2"));
  expect(open.of("commands")[0]?.commands).toEqual([
    { name: "reload", description: "Loads again", source: "cli" },
    { name: "fix", description: "Fixes it", source: "template" },
    { name: "skill:x", description: "Knows x", source: "skill" },
    { name: "bare", description: "", source: "cli" },
  ]);
});

test("a copy of nothing is a conversation of its own", async () => {
  const input = await inputOf("0.87.1");
  const screen = await driver.screen?.({ ...input, receiver }, NEVER);
  const { sessionId = "", resumeKey = null } = screen?.session ?? {};
  const fork = { keepPrompts: null };
  const resume = { sessionId, resumeKey, reportedCostUsd: null, fork };
  const copy = await bench.open(driver, { ...input, resume });
  expect(copy.session.sessionId).not.toBe(sessionId);
  expect((await copy.turn("[[reply:hi]]")).answer).toBe("hi");
});

test("the receiver hands messages to pi once, and reports the result of each", async () => {
  const calls: { path: string; authorization: string; body: unknown }[] = [];
  let given = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const path = new URL(request.url ?? "", "http://x").pathname;
      const { authorization = "", origin } = request.headers;
      const body = JSON.parse(Buffer.concat(chunks).toString()) as unknown;
      calls.push({ path, authorization, body });
      if (!origin) return response.writeHead(403).end();
      response.setHeader("content-type", "application/json");
      if (path.endsWith("tui-ack")) return response.end('{"ok":true}');
      given += 1;
      // The second time as if the confirmation had been lost; afterwards it waits.
      if (given > 3) return;
      const messages = [
        given === 3
          ? { nonce: "n2", text: "refuse" }
          : { nonce: "n1", text: "hello" },
      ];
      response.end(JSON.stringify({ ok: true, messages }));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/api/agents/agt_x`;
  const input = await inputOf("0.87.1");
  await driver.screen?.({ ...input, receiver: { url, token: "t0k" } }, NEVER);
  const program = await readFile(join(input.folder, "pi-receiver.ts"), "utf8");
  const file = join(bench.folder, "receiver.mjs");
  await writeFile(file, program);
  const { default: extension } = (await import(pathToFileURL(file).href)) as {
    default: (pi: object) => void;
  };
  const handlers = new Map<string, (event: object, ctx: object) => void>();
  const sent: unknown[] = [];
  extension({
    on: (name: string, handler: (event: object, ctx: object) => void) =>
      handlers.set(name, handler),
    sendUserMessage(text: string, options: object) {
      if (text === "refuse") throw new Error("No model.");
      sent.push([text, options]);
    },
  });
  const ctx = {
    sessionManager: {
      getSessionId: () => "session-1",
      getSessionFile: () => "/sessions/1.jsonl",
    },
  };
  handlers.get("session_start")?.({}, ctx);
  await until(() => given === 4, "it asks again");
  handlers.get("session_shutdown")?.({}, ctx);
  server.closeAllConnections();
  server.close();
  expect(sent).toEqual([["hello", { deliverAs: "followUp" }]]);
  const of = (what: string) =>
    calls
      .filter(({ path }) => path === `/api/agents/agt_x/${what}`)
      .map(({ body }) => body);
  expect(of("tui-hello")[0]).toEqual({
    sessionId: "session-1",
    resumeKey: "/sessions/1.jsonl",
    pid: process.pid,
  });
  expect(of("tui-ack")).toEqual([
    { nonce: "n1", ok: true },
    { nonce: "n1", ok: true },
    { nonce: "n2", ok: false, reason: "No model." },
  ]);
  expect(new Set(calls.map(({ authorization }) => authorization))).toEqual(
    new Set(["Bearer t0k"]),
  );
});
