import type { ReadStream } from "node:tty";
import type { Conversation, Conversations } from "./conversations.ts";
import { LineEditor } from "./line-editor.ts";
import { runPrompt } from "./run-prompt.ts";
import { ScreenWriter } from "./screen-writer.ts";
import type { ToolServers } from "./tool-servers.ts";

const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";

const GREETING =
  "practice: Gantry's own agent, without a model. /help says what it understands, Ctrl-D leaves.\n";

/** Dependencies of {@link Screen}. */
export interface ScreenHost {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  conversations: Conversations;
  conversation: Conversation;
  tools: ToolServers;
}

/** The agent in a terminal: reads and prints lines, in the same conversations as over the protocol. */
export class Screen {
  readonly #host: ScreenHost;
  readonly #writer: ScreenWriter;
  readonly #lines: string[] = [];
  #wake: (() => void) | undefined;
  /** Receives the answer to the open question. */
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

  /** Submits a prompt as if it had been typed. */
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
      if (line.trim() !== "") await this.#runPrompt(line);
    }
    if (this.#host.input.isTTY) this.#write(PASTE_OFF);
  }

  /** Ends the screen and the running turn. */
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

  /** A typed line answers the open question, or else is a prompt. */
  #take(line: string | undefined): void {
    const answer = this.#answer;
    this.#answer = undefined;
    if (answer) answer(line);
    else if (line !== undefined) this.submit(line);
  }

  async #runPrompt(text: string): Promise<void> {
    this.#turn = new AbortController();
    const { signal } = this.#turn;
    const { conversations, conversation, tools } = this.#host;
    const context = {
      output: this.#writer,
      conversations,
      conversation,
      tools,
      signal,
    };
    try {
      await runPrompt({ text, images: 0 }, context);
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
