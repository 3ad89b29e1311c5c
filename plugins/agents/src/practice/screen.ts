import type { ReadStream } from "node:tty";
import type { Conversation, Conversations } from "./conversations.ts";
import { LineEditor } from "./line-editor.ts";
import { playPrompt } from "./play-prompt.ts";
import { ScreenWriter } from "./screen-writer.ts";
import type { ToolServers } from "./tool-servers.ts";

const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";

const GREETING =
  "practice: Gantry's own agent, without a model. /help says what it understands, Ctrl-D leaves.\n";

/** What the screen runs on. */
export interface ScreenHost {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  conversations: Conversations;
  conversation: Conversation;
  tools: ToolServers;
}

/** The agent in a terminal: lines in, lines out, on the conversation that the protocol speaks of too. */
export class Screen {
  readonly #host: ScreenHost;
  readonly #writer: ScreenWriter;
  readonly #lines: string[] = [];
  #wake: (() => void) | undefined;
  /** Takes the answer to a question that is open. */
  #answer: ((line: string | undefined) => void) | undefined;
  #isOver = false;
  #turn: AbortController | undefined;

  constructor(host: ScreenHost) {
    this.#host = host;
    this.#writer = new ScreenWriter(
      (text) => this.#write(text),
      () => new Promise((resolve) => (this.#answer = resolve)),
    );
  }

  /** Takes a prompt as if it had been typed. */
  submit(text: string): void {
    this.#lines.push(text);
    this.#wake?.();
  }

  /** Runs until the input ends. */
  async run(): Promise<void> {
    const { conversation } = this.#host;
    this.#listen();
    this.#write(GREETING);
    for (const { role, text } of conversation.said)
      this.#write(role === "user" ? `> ${text}\n` : `${text}\n`);
    for (;;) {
      this.#write("> ");
      const line = await this.#next();
      if (line === undefined) break;
      if (line.trim() !== "") await this.#play(line);
    }
    if (this.#host.input.isTTY) this.#write(PASTE_OFF);
  }

  /** Ends it, with all work in progress. */
  stop(): void {
    this.#isOver = true;
    this.#interrupt();
    this.#host.tools.stop();
    this.#wake?.();
  }

  #interrupt(): void {
    this.#turn?.abort();
    this.#take(undefined);
  }

  /** A line that was typed answers the question that is open, else it is a prompt. */
  #take(line: string | undefined): void {
    const answer = this.#answer;
    this.#answer = undefined;
    if (answer) answer(line);
    else if (line !== undefined) this.submit(line);
  }

  async #play(text: string): Promise<void> {
    this.#turn = new AbortController();
    const { signal } = this.#turn;
    const { conversations, conversation, tools } = this.#host;
    const stage = {
      audience: this.#writer,
      conversations,
      conversation,
      tools,
      signal,
    };
    try {
      await playPrompt({ text, images: 0 }, stage);
    } catch (error) {
      this.#write(signal.aborted ? "(stopped)" : (error as Error).message);
    }
    this.#turn = undefined;
    this.#write("\n");
  }

  /** The next line, `undefined` at the end of the input. */
  async #next(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#lines.shift();
  }

  #listen(): void {
    const { input } = this.#host;
    input.setEncoding("utf8");
    input.on("end", () => this.stop());
    const editor = new LineEditor({
      echo: (text) => void (input.isTTY && this.#write(text)),
      line: (text) => this.#take(text),
      interrupt: () => (this.#turn ? this.#interrupt() : this.stop()),
      end: () => this.stop(),
    });
    input.on("data", (chunk) => editor.feed(String(chunk)));
    if (!input.isTTY) return;
    (input as ReadStream).setRawMode(true);
    this.#write(PASTE_ON);
  }

  #write(text: string): void {
    this.#host.output.write(text);
  }
}
