import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { script } from "./script.ts";
import type { Act } from "./script.ts";

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
}

type Edit = Extract<Act, { does: "edit" }>;

// Plays its part for the pictures of the README: it speaks the Agent Client Protocol, and does for a prompt what the
// script says.
let calls = 0;
let spent = 0;
const answers = new Map<number, () => void>();

const write = (message: object) =>
  void process.stdout.write(
    `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`,
  );

async function play(sessionId: string, acts: readonly Act[]): Promise<object> {
  const update = (fields: object) =>
    write({ method: "session/update", params: { sessionId, update: fields } });
  const say = (kind: "message" | "thought", text: string) =>
    update({
      sessionUpdate: `agent_${kind}_chunk`,
      content: { type: "text", text },
    });
  const useTool = (tool: object, output: string, status: string) => {
    const toolCallId = `call-${++calls}`;
    update({
      sessionUpdate: "tool_call",
      toolCallId,
      status: "in_progress",
      ...tool,
    });
    update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status,
      content: [{ type: "content", content: { type: "text", text: output } }],
    });
  };

  for (const act of acts) {
    switch (act.does) {
      case "think":
        say("thought", act.text);
        break;
      case "say":
        say("message", act.text);
        break;
      case "run":
        useTool(toShell(act.command), act.output, toStatus(act.fails));
        break;
      case "edit":
        await edit(act);
        useTool(toEdit(act), "", toStatus());
        break;
      case "spend":
        spent += act.usd;
        update({
          sessionUpdate: "usage_update",
          used: 61_000,
          size: 200_000,
          cost: { amount: spent, currency: "USD" },
        });
        break;
      case "ask":
        await ask(sessionId, act.command);
        break;
      case "wait":
        await new Promise<never>(() => {});
        break;
      case "fail":
        throw new Error(act.text);
    }
  }
  return { stopReason: "end_turn" };
}

const toStatus = (fails = false) => (fails ? "failed" : "completed");

function toShell(command: string): object {
  return {
    title: command,
    name: "shell",
    kind: "execute",
    rawInput: { command },
  };
}

/** The daemon starts the agent in its folder. */
async function edit({ path, before, after }: Edit): Promise<void> {
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace(before, after));
}

function toEdit({ path, before, after }: Edit) {
  const rawInput = { path, old_string: before, new_string: after };
  return { title: path, name: "edit", kind: "edit", rawInput };
}

function ask(sessionId: string, command: string): Promise<void> {
  const id = ++calls;
  const options = [
    { optionId: "once", name: "Allow", kind: "allow_once" },
    { optionId: "always", name: "Always allow", kind: "allow_always" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
  const toolCall = { toolCallId: `call-${id}`, ...toShell(command) };
  write({
    id,
    method: "session/request_permission",
    params: { sessionId, toolCall, options },
  });
  return new Promise((resolve) => answers.set(id, resolve));
}

async function answer({ method, params = {} }: Message): Promise<object> {
  if (method === "initialize")
    return { protocolVersion: 1, agentCapabilities: {}, authMethods: [] };
  if (method === "session/new") return { sessionId: randomUUID() };
  if (method !== "session/prompt") return {};
  const prompt = (params["prompt"] as { text?: string }[])
    .map(({ text }) => text)
    .join("");
  const acts = Object.entries(script).find(([line]) => prompt.includes(line));
  return play(String(params["sessionId"]), acts?.[1] ?? []);
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  const { id } = message;
  if (message.method === undefined) answers.get(id ?? 0)?.();
  else
    void answer(message).then(
      (result) => id !== undefined && write({ id, result }),
      (error: Error) =>
        write({ id, error: { code: -32603, message: error.message } }),
    );
}
process.exit(0);
