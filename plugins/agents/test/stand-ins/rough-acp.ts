// A stand-in for agents that speak the Agent Client Protocol badly, or in ways that the practice agent does not.
import { closeSync, existsSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { run } from "./fake-pi-parts.ts";
import { HUGE, readMarkers, type Marker } from "./markers.ts";

let sessionId = process.env["ROUGH_SESSION"] ?? `rough-${randomUUID()}`;
let next = 1;
const waiting = new Map<number, (result: unknown) => void>();
let cancel = new AbortController();

function out(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function update(fields: object, session: string = sessionId): void {
  out({
    method: "session/update",
    params: { sessionId: session, update: fields },
  });
}

function say(text: string, session?: string): void {
  update(
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    session,
  );
}

function spend(amount: unknown): void {
  update({
    sessionUpdate: "usage_update",
    used: 0,
    size: 0,
    cost: { amount, currency: "USD" },
  });
}

const OPTIONS = [
  {
    id: "m",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: "small",
    options: [
      { value: "small", name: "Small" },
      {
        group: "g",
        name: "Group",
        options: [{ value: "large", name: "Large" }],
      },
    ],
  },
];
let model = "small";

async function play({ name, argument }: Marker): Promise<string | undefined> {
  switch (name) {
    case "reply":
      say(argument);
      return;
    case "model":
      say(`model ${model}`);
      return;
    case "write": {
      const rule = ruleFor("edit");
      const input = { filePath: argument };
      const toolCall = {
        toolCallId: "w1",
        title: argument,
        kind: "edit",
        rawInput: input,
      };
      if (rule === "deny") return;
      if (rule === "ask" && !(await mayUse(toolCall))) return "end_turn";
      writeFileSync(argument, "changed");
      return;
    }
    case "run": {
      const rule = ruleFor("bash");
      const input = { command: argument };
      const toolCall = {
        toolCallId: "b1",
        title: argument,
        kind: "execute",
        rawInput: input,
      };
      if (rule === "deny") return;
      if (rule === "ask" && !(await mayUse(toolCall))) return "end_turn";
      await run(argument, cancel.signal);
      return;
    }
    case "total":
      spend(Number.isNaN(Number(argument)) ? argument : Number(argument));
      return;
    case "late":
      // After the turn is over, as some agents report their spending: when the test has seen its end, and says so.
      void untilThere("turn-is-over").then(() => spend(Number(argument)));
      return;
    case "tail":
      // Right after the answer to the prompt.
      setTimeout(() => say(argument), 30);
      return;
    case "later":
      void untilThere("turn-is-over").then(() => say(argument));
      return;
    case "later-update":
      void untilThere("turn-is-over").then(() =>
        update(JSON.parse(argument) as object),
      );
      return;
    case "later-ask":
      void untilThere("turn-is-over").then(() =>
        askFor({ toolCallId: "t7", title: argument, kind: "execute" }),
      );
      return;
    case "error":
      throw JSON.parse(argument);
    case "foreign":
      say(argument, "another-session");
      update(
        {
          sessionUpdate: "usage_update",
          used: 0,
          size: 0,
          cost: { amount: 1e6, currency: "USD" },
        },
        "another-session",
      );
      return;
    case "stop":
      return argument;
    case "hang":
      return await new Promise((resolve) =>
        cancel.signal.addEventListener("abort", () => resolve("cancelled"), {
          once: true,
        }),
      );
    case "deaf":
      return await new Promise(() => undefined);
    case "update":
      update(JSON.parse(argument) as object);
      return;
    case "call":
      update({
        sessionUpdate: "tool_call",
        ...(JSON.parse(argument) as object),
      });
      return;
    case "ask":
      return await askFor({
        toolCallId: "t1",
        title: argument,
        kind: "execute",
        rawInput: { command: argument },
      });
    case "huge-ask":
      return await askFor({ toolCallId: "t9", title: HUGE, kind: "execute" });
    case "permit":
      return await askFor(JSON.parse(argument) as object);
    case "garbage":
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
      process.stdout.write('not json\n{"method":\n[[[]]]\nnull\n"text"\n\n');
      process.stdout.write(`${"[".repeat(100_000)}${"]".repeat(100_000)}\n`);
      out({ id: 4711, result: { stopReason: "end_turn" } });
      out({
        method: "session/update",
        params: {
          sessionId,
          update: { sessionUpdate: "from_the_future", x: 1 },
        },
      });
      out({ method: "session/update", params: "nothing" });
      out({ method: "no/such/thing" });
      return;
    case "flood":
      await flood(Number(argument));
      return;
    case "many":
      for (let count = 0; count < Number(argument); count += 1) say("x");
      return;
    case "close-stdin":
      process.stdin.destroy();
      closeSync(0);
      setInterval(() => undefined, 1000);
      return;
    case "close-stdout":
      process.stdout.end();
      return await new Promise(() => undefined);
    default:
      return;
  }
}

/** As OpenCode: everything is allowed unless its settings say otherwise. */
function ruleFor(tool: "bash" | "edit"): string {
  const rules = JSON.parse(
    process.env["OPENCODE_PERMISSION"] ?? "{}",
  ) as Record<string, string>;
  return rules[tool] ?? rules["*"] ?? "allow";
}

async function mayUse(toolCall: object): Promise<boolean> {
  const answer = (await request(toolCall)) as {
    outcome?: { optionId?: string };
  };
  return answer.outcome?.optionId?.startsWith("proceed") ?? false;
}

async function askFor(toolCall: object): Promise<undefined> {
  say(`answer ${JSON.stringify(await request(toolCall))}`);
}

async function request(toolCall: object): Promise<unknown> {
  const id = next++;
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  const options = [
    { optionId: "proceed_always", name: "Always", kind: "allow_always" },
    { optionId: "proceed_once", name: "Once", kind: "allow_once" },
    { optionId: "cancel", name: "No", kind: "reject_once" },
  ];
  // In an order of its own: what a request is called and who it is from may stand anywhere.
  out({
    params: { toolCall, options, sessionId },
    method: "session/request_permission",
    id,
  });
  return await answer;
}

async function flood(megabytes: number): Promise<void> {
  process.stdout.write(
    `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${sessionId}","x":"`,
  );
  const block = "x".repeat(1024 * 1024);
  for (let count = 0; count < megabytes; count += 1) {
    if (!process.stdout.write(block))
      await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
  process.stdout.write('"}}\n');
}

async function prompt(text: string): Promise<object> {
  cancel = new AbortController();
  if (text === "/compact") {
    // A slow agent answers only after it was cancelled, and then late.
    if (process.env["ROUGH_SLOW_COMPACT"]) {
      await play({ name: "hang", argument: "" });
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { stopReason: "cancelled" };
    }
    say("I have compacted it all.");
  }
  for (const marker of readMarkers(text)) {
    const stopReason = await play(marker);
    if (stopReason) return { stopReason };
  }
  return { stopReason: "end_turn" };
}

async function handle(
  method: string,
  params: Record<string, unknown>,
): Promise<object> {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: Number(process.env["ROUGH_PROTOCOL"] ?? 1),
        agentInfo: { name: "rough", version: "9.8.7" },
        agentCapabilities: { sessionCapabilities: { resume: {} } },
      };
    case "session/new":
      if (process.env["ROUGH_LOGIN"])
        throw { code: -32000, message: "Authentication required" };
      return { sessionId, configOptions: OPTIONS };
    case "session/resume":
      if (process.env["ROUGH_FORGETS"])
        throw { code: -32002, message: "Resource not found" };
      sessionId = String(params["sessionId"]);
      // A running total that includes earlier costs.
      spend(Number(process.env["ROUGH_TOTAL"] ?? 0));
      return { configOptions: OPTIONS };
    case "session/set_config_option":
      model = String(params["value"]);
      return { configOptions: OPTIONS };
    case "session/prompt":
      return await prompt(
        String(
          (params["prompt"] as { text?: string }[]).find(({ text }) => text)
            ?.text,
        ),
      );
    default:
      throw { code: -32601, message: `no ${method}` };
  }
}

let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + String(chunk)).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method, params, result } = JSON.parse(line) as {
      id?: number;
      method?: string;
      params: Record<string, unknown>;
      result?: unknown;
    };
    if (method === "session/cancel") cancel.abort();
    else if (method === undefined) waiting.get(id ?? 0)?.(result);
    else
      handle(method, params).then(
        (answer) => out({ id, result: answer }),
        (error: unknown) => out({ id, error }),
      );
  }
});
process.stdin.on("end", () => process.exit(0));

/** Waits for a file in the folder that the agent works in. */
async function untilThere(path: string): Promise<void> {
  while (!existsSync(path))
    await new Promise((resolve) => setTimeout(resolve, 5));
}
