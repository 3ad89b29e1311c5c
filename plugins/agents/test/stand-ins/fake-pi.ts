// A stand-in for pi in RPC mode, scripted by markers in the prompt. It speaks the wire of either line, as it was
// recorded from 0.74.2 and 0.87.1: `FAKE_PI_VERSION` says which.
import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  closeInput,
  flood,
  sleep,
  stayAlive,
  USUAL_USAGE,
  writeGarbage,
  writeUpdate,
  ZERO_USAGE,
  type DialogAnswer,
} from "./fake-pi-parts.ts";
import { FakeConversation } from "./fake-pi-conversation.ts";
import { FakeExtensions, type ToolInput } from "./fake-pi-extensions.ts";
import { HUGE, readMarkers, type Marker } from "./markers.ts";

const version = process.env["FAKE_PI_VERSION"] ?? "0.87.1";
const isNew = version.startsWith("0.87");
const isStubborn = Boolean(process.env["FAKE_PI_STUBBORN"]);
const args = process.argv.slice(2);

if (args.includes("--version")) {
  // The real one says it on stderr in some versions.
  console.error(version);
  process.exit(0);
}

const home = process.env["FAKE_PI_HOME"] ?? process.cwd();
mkdirSync(home, { recursive: true });
appendFileSync(join(home, "argv.jsonl"), `${JSON.stringify(args)}\n`);
if (process.env["FAKE_PI_REFUSE"]) {
  console.error(process.env["FAKE_PI_REFUSE"]);
  process.exit(3);
}

const valueOf = (flag: string) =>
  args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
const conversation = new FakeConversation(
  home,
  valueOf("--session") ?? join(home, `${randomUUID()}.jsonl`),
);

let isStreaming = false;
let cancel = new AbortController();
const steering: string[] = [];
const dialogs = new Map<string, (answer: DialogAnswer) => void>();
let usage: unknown = { ...ZERO_USAGE, ...USUAL_USAGE };

function out(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function message(text: string, extra: object = {}) {
  const content = text === "" ? [] : [{ type: "text", text }];
  const model = { provider: "fake", model: "fake-1" };
  const said = { role: "assistant", content, ...model };
  return { ...said, usage, stopReason: "stop", ...extra };
}

function update(event: object, partial: string): void {
  writeUpdate(isNew, event, message(partial));
}

async function say(text: string, pause = 0): Promise<void> {
  out({ type: "message_start", message: message("") });
  let said = "";
  for (const delta of text.match(/\S*\s*/g)?.filter(Boolean) ?? []) {
    if (cancel.signal.aborted) break;
    said += delta;
    update({ type: "text_delta", contentIndex: 0, delta }, said);
    if (pause > 0) await wait(pause);
  }
  if (cancel.signal.aborted) {
    out({
      type: "message_end",
      message: message(said, { stopReason: "aborted", usage: ZERO_USAGE }),
    });
    throw new Error("aborted");
  }
  update({ type: "text_end", contentIndex: 0, content: text }, text);
  out({ type: "message_end", message: message(text) });
}

const wait = (ms: number) => sleep(ms, cancel.signal);

async function tool(toolName: string, input: ToolInput): Promise<void> {
  const toolCallId = randomUUID();
  const call = {
    type: "toolCall",
    id: toolCallId,
    name: toolName,
    arguments: input,
  };
  out({ type: "message_start", message: message("") });
  out({
    type: "message_end",
    message: { ...message(""), content: [call], stopReason: "toolUse" },
  });
  out({ type: "tool_execution_start", toolCallId, toolName, args: input });
  const { output, code } = await extensions.useTool(
    toolName,
    input,
    cancel.signal,
  );
  const result = { content: [{ type: "text", text: output }] };
  out({
    type: "tool_execution_end",
    toolCallId,
    toolName,
    result,
    isError: code !== 0,
  });
  out({
    type: "message_end",
    message: { role: "toolResult", toolCallId, content: result.content },
  });
}

const extensions = new FakeExtensions(valueOf("--tools")?.split(","), {
  notify: (message: string) => tell({ method: "notify", message }),
  select: async (title: string, options: string[]) =>
    (await ask({ method: "select", title, options })).value,
});

function tell(request: object, id = randomUUID()): void {
  out({ type: "extension_ui_request", id, ...request });
}

function ask(request: object): Promise<DialogAnswer> {
  const id = randomUUID();
  return new Promise((resolve) => {
    dialogs.set(id, resolve);
    tell(request, id);
  });
}

/** Plays one marker; gives true to end the turn. */
async function play({ name, argument }: Marker): Promise<boolean> {
  switch (name) {
    case "reply":
      await say(argument);
      return false;
    case "recall":
      await say(`recall ${JSON.stringify(conversation.prompts)}`);
      return false;
    case "think": {
      const content = [{ type: "thinking", thinking: argument }];
      out({ type: "message_start", message: message("") });
      update({ type: "thinking_delta", contentIndex: 0, delta: argument }, "");
      const thought = { ...message(""), content, usage: undefined };
      out({ type: "message_end", message: thought });
      return false;
    }
    case "run":
      await tool("bash", { command: argument });
      return false;
    case "write":
      await tool("write", { path: argument, content: "changed" });
      return false;
    case "cost": {
      const total: unknown = Number.isNaN(Number(argument))
        ? argument
        : Number(argument);
      usage = { ...ZERO_USAGE, input: 100, output: 20, cost: { total } };
      return false;
    }
    case "long": {
      const [words = "1", ms = "0"] = argument.split(":");
      await say(
        Array.from(
          { length: Number(words) },
          (_, index) => `word${index + 1} `,
        ).join(""),
        Number(ms),
      );
      return false;
    }
    case "big":
      await say(`${"x".repeat(49_999)} `.repeat(Number(argument)));
      return false;
    case "late":
      // An answer all the same, when it is told to stop.
      await wait(2 ** 30);
      cancel = new AbortController();
      await say(argument);
      return false;
    case "sleep":
      await wait(Number(argument));
      return false;
    case "ask": {
      const options = ["Yes", "No"];
      const answers = await Promise.all(
        argument
          .split(";")
          .map((title) => ask({ method: "select", title, options })),
      );
      if (answers.every(({ value }) => value === "Yes")) return false;
      out({ type: "message_start", message: message("") });
      out({ type: "message_end", message: message("") });
      return true;
    }
    case "huge-ask": {
      const options = ["Yes", "No"];
      const answer = await ask({ method: "select", title: HUGE, options });
      await say(answer.value === "Yes" ? "I may." : "I may not.");
      return false;
    }
    case "question": {
      const answer = await ask({ method: "input", title: argument });
      await say(`you said ${answer.value ?? "nothing"}`);
      return false;
    }
    case "fail":
      out({ type: "message_start", message: message("") });
      out({
        type: "message_end",
        message: message("", {
          stopReason: "error",
          errorMessage: argument,
          usage: ZERO_USAGE,
        }),
      });
      return true;
    case "retry":
      out({
        type: "message_end",
        message: message("", {
          stopReason: "error",
          errorMessage: "overloaded",
          usage: ZERO_USAGE,
        }),
      });
      out({
        type: "agent_end",
        messages: [],
        ...(isNew ? { willRetry: true } : {}),
      });
      out({
        type: "auto_retry_start",
        attempt: 1,
        maxAttempts: 3,
        delayMs: 20,
        errorMessage: "overloaded",
      });
      isStreaming = false;
      await wait(20);
      isStreaming = true;
      out({ type: "agent_start" });
      return false;
    case "crash":
      process.kill(process.pid, "SIGKILL");
      return await new Promise(() => undefined);
    case "hang":
      return await new Promise(() => undefined);
    case "garbage":
      writeGarbage();
      return false;
    case "flood":
      await flood(Number(argument));
      return false;
    case "close-stdin":
      closeInput();
      return false;
    case "close-stdout":
      process.stdout.end();
      return await new Promise(() => undefined);
    default:
      return false;
  }
}

async function turn(text: string): Promise<void> {
  conversation.say(text);
  isStreaming = true;
  cancel = new AbortController();
  out({ type: "agent_start" });
  out({ type: "turn_start" });
  const said = { role: "user", content: [{ type: "text", text }] };
  out({ type: "message_start", message: said });
  out({ type: "message_end", message: said });
  try {
    const markers = readMarkers(text);
    if (markers.length === 0) await say(`ok: ${text}`);
    for (const marker of markers) if (await play(marker)) break;
    for (
      let next = steering.shift();
      next !== undefined;
      next = steering.shift()
    ) {
      conversation.say(next);
      for (const marker of readMarkers(next)) await play(marker);
    }
  } catch (error) {
    if (!cancel.signal.aborted) throw error;
  }
  // A stop in the middle of a tool: the newer line reports it as a failed request.
  if (cancel.signal.aborted)
    out({
      type: "message_end",
      message: message("", {
        stopReason: isNew ? "error" : "aborted",
        errorMessage: "This operation was aborted",
        usage: ZERO_USAGE,
      }),
    });
  isStreaming = false;
  // The run's messages again, which is what makes this the longest line of all.
  out({
    type: "agent_end",
    messages: [message("x".repeat(Number(process.env["FAKE_PI_END"] ?? 0)))],
    ...(isNew ? { willRetry: false } : {}),
  });
  if (isNew) out({ type: "agent_settled" });
}

function handle(line: {
  id?: string;
  type: string;
  [field: string]: unknown;
}): void {
  const { id, type } = line;
  const answer = (data?: unknown) =>
    out({
      id,
      type: "response",
      command: type,
      success: true,
      ...(data ? { data } : {}),
    });
  const refuse = (error: string) =>
    out({ id, type: "response", command: type, success: false, error });
  switch (type) {
    case "get_state":
      return answer({
        sessionId: conversation.id,
        sessionFile: conversation.file,
        isStreaming,
        isCompacting: false,
        model: { id: "fake-1", provider: "fake", contextWindow: 200_000 },
      });
    case "prompt": {
      const text = String(line["message"]);
      if (text.startsWith("/")) return answer();
      if (text.includes("[[refuse]]")) return refuse("No model selected.");
      if (isStreaming && line["streamingBehavior"] === "steer") {
        steering.push(text);
        return answer();
      }
      if (isStreaming) return refuse("Agent is already processing.");
      answer();
      return void turn(text);
    }
    case "abort":
      cancel.abort();
      return answer();
    case "clear_queue":
      if (!isNew) break;
      steering.length = 0;
      return answer({ steering: [], followUp: [] });
    case "extension_ui_response":
      return dialogs.get(id ?? "")?.(line as { value?: string });
  }
  const reply = conversation.handle(type, line["entryId"], { isNew, out });
  if (reply) return "data" in reply ? answer(reply.data) : refuse(reply.refuse);
  // The old line forgets the id of a command that it does not know.
  out({
    ...(isNew ? { id } : {}),
    type: "response",
    command: type,
    success: false,
    error: `Unknown command: ${type}`,
  });
}

if (!process.env["FAKE_PI_NO_EXTENSIONS"]) await extensions.load(args);

let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + String(chunk)).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines)
    handle(JSON.parse(line) as Parameters<typeof handle>[0]);
});
process.stdin.on("end", () => {
  if (!isStubborn) process.exit(0);
});
if (isStubborn) stayAlive();
