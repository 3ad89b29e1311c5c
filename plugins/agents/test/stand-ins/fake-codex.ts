// A stand-in for Codex's app-server, scripted by markers in the prompt. It speaks the wire as it was recorded from
// 0.169.0. Threads are kept in `CODEX_HOME`.
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { startTools } from "./fake-codex-tools.ts";
import { closeInput, flood, run, writeGarbage } from "./fake-pi-parts.ts";
import { HUGE, readMarkers, type Marker } from "./markers.ts";

interface Thread {
  id: string;
  turns: { id: string; prompts: string[] }[];
}

if (process.argv.includes("--version")) {
  console.log("codex-cli 0.169.0");
  process.exit(0);
}

const home = process.env["CODEX_HOME"] ?? process.cwd();
mkdirSync(home, { recursive: true });
const fileOf = (id: string) => join(home, `rollout-${id}.jsonl`);

let thread: Thread = { id: "", turns: [] };
let turnId: string | undefined;
let cancel = new AbortController();
let total = 0;
let settings: { sandbox?: string } = {};
const steered: string[] = [];
const asked = new Map<
  number,
  (result: { decision?: string; answers?: object }) => void
>();
let next = 100;

function out(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function notify(method: string, params: object): void {
  out({ method, params: { threadId: thread.id, turnId, ...params } });
}

function load(id: string): Thread {
  if (!existsSync(fileOf(id)))
    throw new Error(`no rollout found for thread id ${id}`);
  const turns: Thread["turns"] = [];
  for (const line of readFileSync(fileOf(id), "utf8").split("\n")) {
    if (!line.includes('"role":"user"')) continue;
    const { payload } = JSON.parse(line) as ReturnType<typeof toUserLine>;
    const last = turns.at(-1);
    const { text } = payload.content[0];
    if (last?.id === payload.turn_id) last.prompts.push(text);
    else turns.push({ id: payload.turn_id, prompts: [text] });
  }
  return { id, turns };
}

/** A message as a rollout has it. */
function toUserLine(turn_id: string, text: string) {
  const content = [{ type: "input_text", text }] as const;
  const payload = { type: "message", role: "user", content, turn_id };
  const timestamp = new Date().toISOString();
  return { timestamp, type: "response_item", payload };
}

function save(): void {
  const meta = { type: "session_meta", payload: { id: thread.id } };
  const said = thread.turns.flatMap(({ id, prompts }) =>
    prompts.map((text) => toUserLine(id, text)),
  );
  const lines = [meta, ...said].map((line) => JSON.stringify(line));
  writeFileSync(fileOf(thread.id), `${lines.join("\n")}\n`);
}

function hear(text: string): void {
  const turn = thread.turns.at(-1);
  turn?.prompts.push(text);
  if (!existsSync(fileOf(thread.id))) return save();
  const line = toUserLine(turn?.id ?? "", text);
  appendFileSync(fileOf(thread.id), `${JSON.stringify(line)}\n`);
}

function wait(ms: number): Promise<void> {
  const { signal } = cancel;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error("stopped"));
    if (signal.aborted) return stop();
    setTimeout(resolve, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

async function say(text: string, pause = 0): Promise<void> {
  const itemId = randomUUID();
  for (const delta of text.match(/\S*\s*/g)?.filter(Boolean) ?? []) {
    cancel.signal.throwIfAborted();
    notify("item/agentMessage/delta", { itemId, delta });
    if (pause > 0) await wait(pause);
  }
  notify("item/completed", {
    item: { type: "agentMessage", id: itemId, text },
  });
}

async function ask(method: string, params: object) {
  const id = next++;
  out({ method, params: { threadId: thread.id, turnId, ...params }, id });
  return await new Promise<{ decision?: string; answers?: object }>(
    (resolve, reject) => {
      asked.set(id, resolve);
      cancel.signal.addEventListener("abort", () => {
        notify("serverRequest/resolved", { requestId: id });
        reject(new Error("stopped"));
      });
    },
  );
}

const isReadOnly = () => settings.sandbox === "read-only";

async function play({ name, argument }: Marker): Promise<void> {
  switch (name) {
    case "reply":
      return await say(argument);
    case "recall":
      return await say(
        `recall ${JSON.stringify(thread.turns.flatMap(({ prompts }) => prompts))}`,
      );
    case "settings":
      return await say(JSON.stringify(settings));
    case "think": {
      const item = { type: "reasoning", id: randomUUID(), summary: [argument] };
      return notify("item/completed", { item });
    }
    case "plan":
      return notify("turn/plan/updated", {
        plan: argument.split(";").map((step, index) => ({
          step,
          status: index === 0 ? "inProgress" : "pending",
        })),
      });
    case "run": {
      const item = {
        type: "commandExecution",
        id: randomUUID(),
        command: `/bin/bash -lc '${argument}'`,
        cwd: process.cwd(),
        status: "inProgress",
      };
      notify("item/started", { item });
      // This stand-in has no sandbox, so it runs nothing but what plainly reads.
      const isRefused =
        isReadOnly() && !/^(cat|echo|head|ls)\b[^>|&;$`]*$/.test(argument);
      const { output, code } = isRefused
        ? { output: "Read-only file system", code: 1 }
        : await run(argument, cancel.signal);
      notify("item/completed", {
        item: {
          ...item,
          status: code === 0 ? "completed" : "failed",
          exitCode: code,
          aggregatedOutput: output,
        },
      });
      return cancel.signal.throwIfAborted();
    }
    case "write": {
      const changes = [{ path: argument, kind: "add", diff: "changed" }];
      const item = { type: "fileChange", id: randomUUID(), changes };
      notify("item/started", { item: { ...item, status: "inProgress" } });
      if (!isReadOnly()) writeFileSync(argument, "changed");
      const status = isReadOnly() ? "failed" : "completed";
      return notify("item/completed", { item: { ...item, status } });
    }
    case "ask": {
      const { decision } = await ask("item/commandExecution/requestApproval", {
        itemId: "x",
        command: argument,
        cwd: null,
      });
      if (decision !== "accept") await say("I may not.");
      return;
    }
    case "huge-ask": {
      const approval = "item/fileChange/requestApproval";
      const { decision } = await ask(approval, { itemId: "x", reason: HUGE });
      return await say(decision === "accept" ? "I may." : "I may not.");
    }
    case "question": {
      const { answers } = await ask("item/tool/requestUserInput", {
        questions: [
          {
            id: "q1",
            question: argument,
            options: [{ label: "Red", description: "warm" }],
          },
        ],
      });
      return await say(JSON.stringify(answers));
    }
    case "tokens": {
      total += Number(argument);
      const tokens = (count: number) => ({
        inputTokens: count,
        outputTokens: 1,
        totalTokens: count + 1,
      });
      return notify("thread/tokenUsage/updated", {
        tokenUsage: {
          ...{ total: tokens(total), last: tokens(Number(argument)) },
          modelContextWindow: 258_400,
        },
      });
    }
    case "long": {
      const [words = "1", ms = "0"] = argument.split(":");
      const all = Array.from(
        { length: Number(words) },
        (_, index) => `word${index + 1} `,
      );
      return await say(all.join(""), Number(ms));
    }
    case "sleep":
      return await wait(Number(argument));
    case "failure":
      throw JSON.parse(argument);
    case "fail":
      notify("error", { error: { message: argument }, willRetry: false });
      throw new Error(argument);
    case "limits":
      return out({
        method: "account/rateLimits/updated",
        params: { rateLimits: JSON.parse(argument) as object },
      });
    case "late": {
      const item = { type: "agentMessage", id: randomUUID(), text: argument };
      setTimeout(() => notify("item/completed", { item, turnId: "over" }), 50);
      return;
    }
    case "crash":
      process.kill(process.pid, "SIGKILL");
      return await new Promise(() => undefined);
    case "hang":
    case "deaf":
      return await new Promise(() => undefined);
    case "garbage":
      return writeGarbage();
    case "flood":
      return await flood(Number(argument));
    case "close-stdin":
      closeInput();
      return;
    case "close-stdout":
      process.stdout.end();
      return await new Promise(() => undefined);
  }
}

async function turn(text: string): Promise<void> {
  const id = turnId ?? "";
  let status = "completed";
  let error = null;
  notify("turn/started", { turn: { id, status: "inProgress" } });
  try {
    const markers = readMarkers(text);
    if (markers.length === 0) await say(`ok: ${text}`);
    for (const marker of markers) {
      await play(marker);
      for (const said of steered.splice(0)) markers.push(...readMarkers(said));
    }
  } catch (failure) {
    status = cancel.signal.aborted ? "interrupted" : "failed";
    const { message, ...more } = failure as Error;
    error = status === "failed" ? { message, ...more } : null;
  }
  turnId = undefined;
  notify("turn/completed", { turn: { id, status, error } });
}

function handle(method: string, params: Record<string, unknown>): object {
  switch (method) {
    case "initialize":
      return { userAgent: "codex" };
    case "config/read": {
      const servers = process.env["FAKE_CODEX_SERVERS"];
      if (servers === "unknown") throw new Error("unknown method");
      const names = servers?.split(",") ?? [];
      const entries = names.map((name) => [name, { command: name }]);
      return { config: { mcp_servers: Object.fromEntries(entries) as object } };
    }
    case "thread/start":
      settings = params;
      startTools(params["config"], notify);
      thread = { id: randomUUID(), turns: [] };
      break;
    case "thread/resume":
      settings = params;
      startTools(params["config"], notify);
      thread = load(String(params["threadId"]));
      break;
    case "thread/fork": {
      startTools(params["config"], notify);
      const { turns } = load(String(params["threadId"]));
      const last = turns.findIndex(({ id }) => id === params["lastTurnId"]);
      const kept = last < 0 ? turns : turns.slice(0, last + 1);
      thread = { id: randomUUID(), turns: kept };
      save();
      break;
    }
    case "thread/turns/list": {
      const { turns } = load(String(params["threadId"]));
      const from = Number(params["cursor"] ?? 0);
      const limit = Number(params["limit"]);
      const data = turns.slice(from, from + limit).map(({ id, prompts }) => ({
        id,
        status: "completed",
        error: null,
        items: prompts.map(() => ({ type: "userMessage" })),
      }));
      const more = from + limit < turns.length;
      return { data, nextCursor: more ? String(from + limit) : null };
    }
    case "turn/start": {
      const text = textOf(params["input"]);
      turnId = randomUUID();
      cancel = new AbortController();
      thread.turns.push({ id: turnId, prompts: [] });
      hear(text);
      setImmediate(() => void turn(text));
      return { turn: { id: turnId, status: "inProgress" } };
    }
    case "turn/steer":
      if (params["expectedTurnId"] !== turnId) throw new Error("no such turn");
      hear(textOf(params["input"]));
      steered.push(textOf(params["input"]));
      return {};
    case "turn/interrupt":
      cancel.abort();
      return {};
    case "thread/compact/start":
      setImmediate(() => {
        const id = randomUUID();
        notify("turn/started", { turn: { id, status: "inProgress" } });
        thread.turns = [];
        notify("item/completed", {
          item: { type: "contextCompaction", id: "c" },
        });
        notify("turn/completed", {
          turn: { id, status: "completed", error: null },
        });
      });
      return {};
    default:
      throw new Error(`unknown method ${method}`);
  }
  return { thread: { id: thread.id, path: fileOf(thread.id) }, model: "test" };
}

function textOf(input: unknown): string {
  return (input as { text?: string }[]).find(({ text }) => text)?.text ?? "";
}

let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + String(chunk)).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const {
      id,
      method,
      params = {},
      result,
    } = JSON.parse(line) as {
      id?: number;
      method?: string;
      params?: Record<string, unknown>;
      result?: { decision?: string; answers?: object };
    };
    if (id === undefined) continue;
    if (method === undefined) asked.get(id)?.(result ?? {});
    else
      try {
        out({ id, result: handle(method, params) });
      } catch (error) {
        out({ id, error: { code: -32600, message: (error as Error).message } });
      }
  }
});
process.stdin.on("end", () => process.exit(0));
