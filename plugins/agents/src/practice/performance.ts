import { setTimeout as sleep } from "node:timers/promises";
import type { Conversation, Conversations } from "./conversations.ts";
import { runCommand } from "./shell.ts";
import type { Step } from "./script.ts";
import { toText, type ToolServers } from "./tool-servers.ts";
import { WireError } from "./wire.ts";

/** Whom the agent plays to: a client on the wire, or a screen. */
export interface Audience {
  notify(method: string, params: object): void;
  /** Asks and resolves with the result; a refusal is `undefined`. */
  request(method: string, params: object): Promise<unknown>;
}

/** What a prompt is played in. */
export interface Stage {
  audience: Audience;
  conversations: Conversations;
  conversation: Conversation;
  tools: ToolServers;
  signal: AbortSignal;
}

/** How often the output of a command is reported while it runs. */
const PROGRESS_MS = 100;

/** Plays the steps of one prompt to the client. */
export class Performance {
  readonly #audience: Audience;
  readonly #conversations: Conversations;
  readonly #conversation: Conversation;
  readonly #tools: ToolServers;
  readonly #signal: AbortSignal;
  #text = "";
  #saidSinceTool = false;
  #calls = 0;
  #ended = false;
  /** Steps of the plan; the first is in progress until the script is at its end. */
  #plan: readonly string[] = [];

  constructor(stage: Stage) {
    this.#audience = stage.audience;
    this.#conversations = stage.conversations;
    this.#conversation = stage.conversation;
    this.#tools = stage.tools;
    this.#signal = stage.signal;
  }

  /** What was said so far. */
  get text(): string {
    return this.#text;
  }

  /** Plays all steps. Rejects with the signal's reason when the turn is cancelled. */
  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      this.#signal.throwIfAborted();
      await this.#step(step);
      if (this.#ended) return;
    }
    if (this.#plan.length > 0) this.#tellPlan(this.#plan.length);
    if (!this.#saidSinceTool) this.say("practice: done.");
  }

  /** Repeats the prompt once it is written down, by which a client knows that it is here to stay. */
  acknowledge(text: string): void {
    this.#update({
      sessionUpdate: "user_message_chunk",
      content: { type: "text", text },
    });
  }

  say(text: string): void {
    this.#saidSinceTool = true;
    for (const piece of text.match(/\S*\s*/g) ?? [])
      if (piece !== "") this.#chunk(piece);
  }

  async #step(step: Step): Promise<void> {
    switch (step.type) {
      case "reply":
        return this.say(step.text);
      case "plan":
        this.#plan = step.steps;
        return this.#tellPlan(0);
      case "recall":
        return this.say(`recall ${JSON.stringify(this.#prompts())}`);
      case "think":
        return this.#update({
          sessionUpdate: "agent_thought_chunk",
          content: { type: "text", text: step.text },
        });
      case "cost":
        return await this.#spend(step.usd);
      case "context": {
        const { used, size } = step;
        return this.#update({ sessionUpdate: "usage_update", used, size });
      }
      case "sleep":
        await sleep(step.ms, undefined, { signal: this.#signal });
        return;
      case "long":
        return await this.#long(step.words, step.ms);
      case "run":
        return await this.#run(step.command);
      case "tool":
        return await this.#call(step.name, step.input);
      case "tools": {
        const names = await this.#tools.list(this.#signal);
        return this.say(`tools ${names.join(", ") || "none"}`);
      }
      case "ask":
        return await this.#ask(step.title);
      case "fail":
        throw new WireError(-32603, step.text || "practice: told to fail.");
      case "crash":
        process.kill(process.pid, "SIGKILL");
        return;
    }
  }

  /** Sends the whole plan, with its first `done` steps completed. */
  #tellPlan(done: number): void {
    const entries = this.#plan.map((content, index) => ({
      content,
      priority: "medium",
      status:
        index < done ? "completed" : index === done ? "in_progress" : "pending",
    }));
    this.#update({ sessionUpdate: "plan", entries });
  }

  #prompts(): string[] {
    const { said, knownFrom } = this.#conversation;
    return said
      .slice(knownFrom)
      .filter(({ role }) => role === "user")
      .map(({ text }) => text.slice(0, 120));
  }

  async #long(words: number, ms: number): Promise<void> {
    this.#saidSinceTool = true;
    for (let word = 1; word <= words; word += 1) {
      this.#chunk(`word${word} `);
      if (ms > 0) await sleep(ms, undefined, { signal: this.#signal });
    }
  }

  async #spend(usd: number): Promise<void> {
    await this.#conversations.spend(this.#conversation, usd);
    const cost = { amount: this.#conversation.costUsd, currency: "USD" };
    this.#update({ sessionUpdate: "usage_update", used: 0, size: 0, cost });
  }

  async #run(command: string): Promise<void> {
    const toolCallId = this.#beginTool({
      title: command,
      name: "shell",
      kind: "execute",
      rawInput: { command },
    });
    if (asksFirst() && !(await this.#mayRun(toolCallId, command))) return;
    let toldAt = 0;
    const { output, exitCode } = await runCommand(command, {
      cwd: this.#conversation.cwd,
      signal: this.#signal,
      onOutput: (soFar) => {
        if (Date.now() - toldAt < PROGRESS_MS) return;
        toldAt = Date.now();
        this.#update({
          sessionUpdate: "tool_call_update",
          toolCallId,
          content: toContent(soFar),
        });
      },
    });
    const status = exitCode === 0 ? "completed" : "failed";
    const shown =
      exitCode === 0 ? output : `${output}\n[exit code ${exitCode ?? "none"}]`;
    this.#update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status,
      content: toContent(shown),
    });
    this.#signal.throwIfAborted();
  }

  /** Calls a tool of a server. A call that fails does not end the turn. */
  async #call(name: string, input: string): Promise<void> {
    const rawInput = toInput(input);
    const kind = "other";
    const call = { title: name, name, kind, rawInput: rawInput ?? { input } };
    const toolCallId = this.#beginTool(call);
    const end = (status: string, text: string) =>
      this.#update({
        ...{ sessionUpdate: "tool_call_update", toolCallId, status },
        content: toContent(text),
      });
    try {
      if (!rawInput) throw new Error("The input is no JSON object.");
      const result = await this.#tools.call(name, rawInput, this.#signal);
      end(result.isError ? "failed" : "completed", toText(result));
    } catch (error) {
      end("failed", (error as Error).message);
    }
    this.#signal.throwIfAborted();
  }

  /** Asks before a command; unlike a bare question, a rejection does not end the turn. */
  async #mayRun(toolCallId: string, command: string): Promise<boolean> {
    const title = command;
    const toolCall = { title, name: "shell", rawInput: { command } };
    const chosen = await this.#request(
      { toolCallId, kind: "execute", ...toolCall },
      [
        { optionId: "once", name: "Allow", kind: "allow_once" },
        { optionId: "no", name: "Reject", kind: "reject_once" },
      ],
    );
    this.#signal.throwIfAborted();
    if (chosen === "once") return true;
    this.#update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "failed",
      content: toContent("Not allowed."),
    });
    return false;
  }

  /** Asks for a permission; gives the id of the option that was chosen. */
  async #request(
    toolCall: object,
    options: readonly object[],
  ): Promise<string | undefined> {
    const answer = (await this.#audience.request("session/request_permission", {
      sessionId: this.#conversation.id,
      toolCall,
      options,
    })) as { outcome?: { optionId?: string } } | undefined;
    return answer?.outcome?.optionId;
  }

  async #ask(title: string): Promise<void> {
    if (this.#conversation.allowed.has(title)) return;
    const toolCall = { title, name: "ask", kind: "other", rawInput: { title } };
    const toolCallId = this.#beginTool(toolCall);
    const chosen = await this.#request({ toolCallId, ...toolCall }, [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      { optionId: "always", name: "Always allow", kind: "allow_always" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ]);
    if (chosen === "always") this.#conversation.allowed.add(title);
    const isAllowed = chosen === "once" || chosen === "always";
    this.#update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: isAllowed ? "completed" : "failed",
      content: toContent(isAllowed ? "Allowed." : "Not allowed."),
    });
    this.#signal.throwIfAborted();
    // As many agents do: a rejected tool ends the turn without a word.
    if (!isAllowed) this.#ended = true;
  }

  #beginTool(call: {
    title: string;
    name: string;
    kind: string;
    rawInput: object;
  }): string {
    this.#saidSinceTool = false;
    const toolCallId = `call-${this.#conversation.said.length}-${++this.#calls}`;
    this.#update({
      sessionUpdate: "tool_call",
      toolCallId,
      status: "in_progress",
      ...call,
    });
    return toolCallId;
  }

  #chunk(text: string): void {
    this.#text += text;
    this.#update({
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text },
    });
  }

  #update(update: object): void {
    this.#audience.notify("session/update", {
      sessionId: this.#conversation.id,
      update,
    });
  }
}

/** A client that says so wants to be asked before each command. */
const asksFirst = () => process.env["GANTRY_ASK_FIRST"] === "1";

function toInput(text: string): object | undefined {
  if (text.trim() === "") return {};
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function toContent(text: string): object[] {
  return [{ type: "content", content: { type: "text", text } }];
}
