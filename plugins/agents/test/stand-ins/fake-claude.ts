// A stand-in for Claude Code on its stream of JSON lines, scripted by markers in the prompt. It speaks the wire as it
// was recorded from 2.1.197; `FAKE_CLAUDE_VERSION` says which, and from 2.1.300 on it carries the cost of before.
import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { FakeRecord } from "./fake-claude-record.ts";
import {
  findFlag,
  readRules,
  ZERO_USAGE,
  type ClientLine,
} from "./fake-claude-rules.ts";
import {
  closeInput,
  flood,
  run,
  sleep,
  writeGarbage,
} from "./fake-pi-parts.ts";
import { HUGE, readMarkers, type Marker } from "./markers.ts";

const version = process.env["FAKE_CLAUDE_VERSION"] ?? "2.1.197";
const args = process.argv.slice(2);
if (args.includes("--version")) {
  console.log(`${version} (Claude Code)`);
  process.exit(0);
}

const home = process.env["HOME"] ?? process.cwd();
mkdirSync(home, { recursive: true });
appendFileSync(join(home, "argv.jsonl"), `${JSON.stringify(args)}\n`);

const valueOf = (flag: string) => findFlag(args, flag);

const resumed = valueOf("--resume");
const isCopy = args.includes("--fork-session");
const record = new FakeRecord(
  (isCopy ? valueOf("--session-id") : resumed) ??
    valueOf("--session-id") ??
    randomUUID(),
);
if (resumed !== undefined) {
  const old = new FakeRecord(resumed);
  const isThere =
    old.exists && (!isCopy || record.copy(old, valueOf("--resume-session-at")));
  if (!isThere) {
    console.error(`No conversation found with session ID: ${resumed}`);
    process.exit(1);
  }
}

let total: unknown =
  Number(version.split(".")[2]) >= 300 && resumed !== undefined
    ? Number(process.env["FAKE_CLAUDE_CARRIES"] ?? 0)
    : 0;
/** It stops in a turn as soon as its total has come to this. */
const budget = Number(valueOf("--max-budget-usd") ?? Infinity);
let cancel = new AbortController();
let isBusy = false;
const queue: { uuid: string; text: string }[] = [];
const requests = new Map<string, (answer: Record<string, unknown>) => void>();

function out(line: object): void {
  process.stdout.write(
    `${JSON.stringify({ ...line, session_id: record.id })}\n`,
  );
}

function event(fields: object): void {
  out({ type: "stream_event", event: fields, parent_tool_use_id: null });
}

function assistant(content: object): void {
  const message = { role: "assistant", content: [content], usage: ZERO_USAGE };
  out({ type: "assistant", message, parent_tool_use_id: null });
}

function replay({ uuid, text }: { uuid: string; text: string }): void {
  record.add("user", text, uuid as ReturnType<typeof randomUUID>);
  const message = { role: "user", content: [{ type: "text", text }] };
  out({
    type: "user",
    message,
    uuid,
    isReplay: true,
    parent_tool_use_id: null,
  });
}

const wait = (ms: number) => sleep(ms, cancel.signal);

let said = "";
async function say(text: string, pause = 0): Promise<void> {
  said = "";
  for (const piece of text.match(/\S*\s*/g)?.filter(Boolean) ?? []) {
    cancel.signal.throwIfAborted();
    said += piece;
    event({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: piece },
    });
    if (pause > 0) await wait(pause);
  }
  cancel.signal.throwIfAborted();
  assistant({ type: "text", text });
  record.add("assistant", text);
}

function result(fields: object): void {
  out({
    type: "result",
    subtype: "success",
    is_error: false,
    result: said,
    total_cost_usd: total,
    usage: ZERO_USAGE,
    ...fields,
  });
}

function useTool(id: string, name: string, input: object): void {
  assistant({ type: "tool_use", id, name, input });
}

function toolResult(
  id: string,
  content: string,
  failed: boolean,
  more?: object,
) {
  const block = {
    tool_use_id: id,
    type: "tool_result",
    content,
    is_error: failed,
  };
  const message = { role: "user", content: [block] };
  out({
    type: "user",
    message,
    parent_tool_use_id: null,
    ...(more ? { tool_use_result: more } : {}),
  });
}

async function ask(
  tool: string,
  input: object,
): Promise<{ behavior?: string; updatedInput?: { answers?: object } }> {
  const id = randomUUID();
  const rule = { toolName: tool, ruleContent: "x" };
  out({
    type: "control_request",
    request: {
      subtype: "can_use_tool",
      tool_name: tool,
      input,
      permission_suggestions: [
        {
          type: "addRules",
          rules: [rule],
          behavior: "allow",
          destination: "localSettings",
        },
        { type: "setMode", mode: "acceptEdits", destination: "session" },
      ],
    },
    request_id: id,
  });
  const { signal } = cancel;
  return await new Promise((resolve, reject) => {
    requests.set(id, resolve);
    signal.addEventListener("abort", () => {
      if (requests.delete(id))
        out({ type: "control_cancel_request", request_id: id });
      reject(new Error("stopped"));
    });
  });
}

const mayUse = readRules(args, ask);

/** Plays one marker; a tool that took messages meanwhile gives those to play in place of the rest. */
async function play({ name, argument }: Marker): Promise<Marker[] | undefined> {
  switch (name) {
    case "reply":
      await say(argument);
      return;
    case "recall":
      await say(`recall ${JSON.stringify(record.prompts)}`);
      return;
    case "argv":
      await say(JSON.stringify(args));
      return;
    case "think":
      event({
        type: "content_block_delta",
        index: 0,
        delta: { type: "thinking_delta", thinking: argument },
      });
      assistant({ type: "thinking", thinking: argument, signature: "x" });
      return;
    case "tool": {
      const id = randomUUID();
      const [tool = "", json = "{}", more] = argument.split("|");
      useTool(id, tool, JSON.parse(json) as object);
      toolResult(id, "ok", false, more ? (JSON.parse(more) as object) : {});
      return;
    }
    case "run": {
      const id = randomUUID();
      useTool(id, "Bash", { command: argument });
      const isAllowed = await mayUse("Bash", { command: argument });
      const { output, code } = isAllowed
        ? await run(argument, cancel.signal)
        : { output: "Refused.", code: 1 };
      toolResult(id, output, code !== 0);
      cancel.signal.throwIfAborted();
      const steered = queue.splice(0);
      for (const message of steered) replay(message);
      return steered.length > 0
        ? steered.flatMap(({ text }) => readMarkers(text))
        : undefined;
    }
    case "write": {
      const id = randomUUID();
      const input = { file_path: argument, content: "changed" };
      useTool(id, "Write", input);
      const isAllowed = await mayUse("Write", input);
      if (isAllowed) writeFileSync(argument, input.content);
      toolResult(id, isAllowed ? "ok" : "Refused.", !isAllowed);
      return;
    }
    case "cost":
      total = Number.isNaN(Number(argument))
        ? argument
        : Number(total) + Number(argument);
      if (!(Number(total) >= budget)) return;
      result({
        subtype: "error_max_budget_usd",
        is_error: true,
        result: undefined,
      });
      return process.exit(1);
    case "long": {
      const [words = "1", ms = "0"] = argument.split(":");
      const all = Array.from(
        { length: Number(words) },
        (_, index) => `word${index + 1} `,
      );
      await say(all.join(""), Number(ms));
      return;
    }
    case "big":
      await say(`${"x".repeat(49_999)} `.repeat(Number(argument)));
      return;
    case "sleep":
      await wait(Number(argument));
      cancel.signal.throwIfAborted();
      return;
    case "ask":
    case "huge-ask": {
      const command = name === "ask" ? argument : HUGE;
      const answer = await ask("Bash", { command });
      if (answer.behavior !== "allow") await say("I may not.");
      return;
    }
    case "question": {
      const answer = await ask("AskUserQuestion", {
        questions: JSON.parse(argument) as unknown,
      });
      await say(
        answer.behavior === "allow"
          ? JSON.stringify(answer.updatedInput?.answers)
          : "no answer",
      );
      return;
    }
    case "fail":
      throw new Error(argument);
    case "retry":
      out({
        type: "system",
        subtype: "api_retry",
        attempt: 1,
        max_retries: 10,
        error: "overloaded",
      });
      return;
    case "crash":
      process.kill(process.pid, "SIGKILL");
      return await new Promise(() => undefined);
    case "hang":
    case "deaf":
      return await new Promise(() => undefined);
    case "garbage":
      writeGarbage();
      return;
    case "flood":
      await flood(Number(argument));
      return;
    case "close-stdin":
      closeInput();
      return;
    case "close-stdout":
      process.stdout.end();
      return await new Promise(() => undefined);
    default:
      return;
  }
}

async function turn(message: { uuid: string; text: string }): Promise<void> {
  isBusy = true;
  cancel = new AbortController();
  said = "";
  out({ type: "system", subtype: "init", model: "claude-test", tools: [] });
  try {
    if (message.text === "/compact") {
      record.compact();
      out({
        type: "system",
        subtype: "compact_boundary",
        compact_metadata: { pre_tokens: 1636, post_tokens: 643 },
      });
      assistant({ type: "text", text: "a summary" });
      return result({ result: "" });
    }
    replay(message);
    const markers = readMarkers(message.text);
    if (markers.length === 0) await say(`ok: ${message.text}`);
    while (markers.length > 0) {
      const steered = await play(markers.shift() as Marker);
      if (steered) markers.splice(0, markers.length, ...steered);
    }
    result({});
  } catch (error) {
    if (cancel.signal.aborted)
      result({
        subtype: "error_during_execution",
        is_error: true,
        result: undefined,
        usage: { ...ZERO_USAGE, input_tokens: 0, output_tokens: 0 },
      });
    else result({ is_error: true, result: (error as Error).message });
  } finally {
    isBusy = false;
    const next = queue.shift();
    if (next) void turn(next);
  }
}

function control(id: string, request: { subtype: string }): void {
  const answer = (response?: object) =>
    out({
      type: "control_response",
      response: { subtype: "success", request_id: id, response },
    });
  switch (request.subtype) {
    case "initialize":
      return answer({
        commands: [
          { name: "compact", description: "Shrinks", argumentHint: "" },
          { name: "cost", description: 5 },
        ],
      });
    case "get_session_cost":
      return answer({
        text: `Total cost:            $${Number(total).toFixed(4)}\n`,
      });
    case "interrupt":
      answer();
      return cancel.abort();
    default:
      out({
        type: "control_response",
        response: { subtype: "error", request_id: id, error: "unknown" },
      });
  }
}

createInterface({ input: process.stdin }).on("line", (text) => {
  const line = JSON.parse(text) as ClientLine;
  if (line.type === "control_request") control(line.request_id, line.request);
  else if (line.type === "control_response") {
    const { request_id: id, response } = line.response;
    const settle = requests.get(id);
    requests.delete(id);
    settle?.(response);
  } else {
    const said = line.message.content.find(({ text }) => text)?.text ?? "";
    const message = { uuid: line.uuid, text: said };
    if (isBusy) queue.push(message);
    else void turn(message);
  }
});
process.stdin.on("end", () => process.exit(0));
