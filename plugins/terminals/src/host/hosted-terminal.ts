import { constants } from "node:os";
import type { IPty } from "node-pty";
import type {
  HostedTerminal as Description,
  HostRequests,
  SentAnswer,
  ViewerSays,
} from "../wire/protocol.ts";
import { folderOf } from "./folder-of.ts";
import { toPaste, toPlain } from "./paste-text.ts";
import { endTree, TERMINAL_VARIABLE } from "./process-tree.ts";
import { PtyInput } from "./pty-input.ts";
import type { PtyModule } from "./pty-module.ts";
import { Audience } from "./audience.ts";
import type { Courtesy } from "./courtesy.ts";
import { Screen } from "./screen.ts";
import { toEnvironment } from "./to-environment.ts";
import { Viewer } from "./viewer.ts";
import type { ViewerSink } from "./viewer.ts";

/** Output that is not drawn yet, over which the program has to wait. */
const MAX_BACKLOG_BYTES = 2 * 1024 * 1024;
/** Time between a pasted text and Enter, since some programs take what comes with a paste for a part of it. */
const ENTER_MS = 60;

type Opening = HostRequests["open"]["input"];

/** What is not in its types, but in every version of it. */
type UntypedPty = IPty & {
  readonly fd: number;
  /** Tells that its descriptor is closed. */
  on(event: "close", listener: () => void): void;
};

/** A program in a terminal, its screen, and those who look at it. */
export class HostedTerminal {
  readonly id: string;
  readonly #pty: IPty;
  readonly #input: PtyInput;
  readonly #screen: Screen;
  readonly #audience: Audience;
  readonly #courtesy: Courtesy;
  readonly #firstFolder: string;
  readonly #hasEnded: Promise<void>;
  #ending: { exitCode: number | null; signal: string | null } | undefined;
  #holds = 0;
  #isPaused = false;
  #givesWay = false;
  #size: { cols: number; rows: number };

  /**
   * Starts the program.
   *
   * @param courtesy What all terminals share.
   * @param exited Is called once it has ended.
   * @throws whatever the system says against it.
   */
  constructor(
    pty: PtyModule,
    opening: Opening,
    courtesy: Courtesy,
    exited: () => void,
  ) {
    const { id, cwd, program, cols, rows, scrollback, nonce } = opening;
    this.id = id;
    this.#courtesy = courtesy;
    this.#firstFolder = cwd;
    this.#size = { cols, rows };
    this.#pty = pty.spawn(program.file, program.args, {
      name: "xterm-256color",
      cols,
      rows,
      cwd,
      env: toEnvironment(process.env, {
        ...program.env,
        [TERMINAL_VARIABLE]: id,
      }),
      encoding: null,
    });
    const { fd } = this.#pty as UntypedPty;
    this.#input = new PtyInput(fd);
    // A program may close its terminal and live on. Then the descriptor is closed, and its number is the next one's.
    (this.#pty as UntypedPty).on("close", () => this.#input.close());
    const write = (text: string) => void this.#input.write(Buffer.from(text));
    this.#screen = new Screen({ cols, rows, scrollback, nonce, reply: write });
    this.#audience = new Audience(() => this.#adjust());
    // Its types know of text only; without an encoding it gives bytes.
    this.#pty.onData((data) => this.#take(data as unknown as Buffer));
    this.#hasEnded = new Promise((resolve) =>
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#ending = signal
          ? { exitCode: null, signal: nameOf(signal) }
          : { exitCode, signal: null };
        this.#input.close();
        void this.#screen.settle().then(() => {
          this.#audience.hear({ type: "exit", ...this.ending! });
          exited();
          resolve();
        });
      }),
    );
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** How it ended; `undefined` while it runs. */
  get ending() {
    return this.#ending;
  }

  async describe(): Promise<Description> {
    const { cols, rows } = this.#size;
    return {
      id: this.id,
      pid: this.pid,
      state: this.#ending ? "exited" : "running",
      exitCode: this.#ending?.exitCode ?? null,
      signal: this.#ending?.signal ?? null,
      cwd: this.#ending
        ? this.#firstFolder
        : await folderOf(this.pid, this.#firstFolder),
      title: this.#screen.title,
      prompt: this.#ending ? "unknown" : this.#screen.lastPrompt,
      cols,
      rows,
      viewers: this.#audience.size,
    };
  }

  /** Attaches a viewer, which gets the current screen and then all output. The first one may type. */
  async attach(number: number, sink: ViewerSink): Promise<void> {
    this.#courtesy.typed(this.id);
    await this.#still(() => {
      const viewer = new Viewer(sink);
      this.#audience.add(number, viewer, this.#picture());
      if (this.#ending) sink.hears({ type: "exit", ...this.#ending });
    });
  }

  detach(number: number): void {
    this.#audience.remove(number);
  }

  async hear(number: number, says: ViewerSays): Promise<void> {
    if (says.type === "ack") {
      const isBack = this.#audience.confirm(number, says.bytes);
      if (isBack)
        await this.#still(() =>
          this.#audience.refresh(number, this.#picture()),
        );
    } else if (says.type === "owner") {
      this.#audience.makeOwner(number);
    } else if (this.#audience.isOwner(number)) {
      await this.#resize(says.cols, says.rows);
    } else {
      this.#audience.refuse(number);
    }
  }

  /** What a viewer typed. Only the owner's counts. */
  input(number: number, data: Buffer): void {
    if (!this.#audience.isOwner(number)) return this.#audience.refuse(number);
    this.#courtesy.typed(this.id);
    if (this.#ending) return;
    if (this.#input.write(data)) this.#noteEnter(data);
    else
      this.#audience.tell(number, {
        type: "error",
        code: "TERMINAL_INPUT_FULL",
        message:
          "The program does not read what is typed; this piece was left out.",
      });
  }

  /** @param prompt What the shell is taken for after an Enter in the text, until it tells. */
  type(text: string, prompt?: "busy"): SentAnswer {
    if (this.#ending || this.#input.isClosed) return { refused: "gone" };
    const data = Buffer.from(text);
    if (!this.#input.write(data)) return { refused: "full" };
    this.#noteEnter(data, prompt);
    return { refused: null };
  }

  /** Pastes a command at the prompt of a shell and presses Enter. */
  async run(text: string): Promise<SentAnswer> {
    const { state, hasTyped } = await this.#screen.prompt();
    if (this.#ending) return { refused: "gone" };
    if (state !== "ready") return { refused: state };
    if (hasTyped) return { refused: "typed" };
    const takesPastes = await this.#screen.takesPastes();
    if (!takesPastes && /[\r\n\t]/.test(text)) return { refused: "lines" };
    return this.type(`${takesPastes ? toPaste(text) : text}\r`, "busy");
  }

  /** Pastes a text and presses Enter. */
  async paste(text: string): Promise<SentAnswer> {
    const takesPastes = await this.#screen.takesPastes();
    if (!takesPastes && /[\r\n\t]/.test(text)) return { refused: "lines" };
    const sent = this.type(takesPastes ? toPaste(text) : toPlain(text));
    if (sent.refused) return sent;
    await new Promise((resolve) => setTimeout(resolve, ENTER_MS));
    return this.type("\r");
  }

  /** Ends everything in it. Resolves when it is gone. */
  async close(): Promise<void> {
    // A program that waits for its output to be read could not end.
    this.#pty.resume();
    await endTree(this.id, this.#ending ? undefined : this.pid);
    if (!this.#ending) await this.#hasEnded;
    this.#audience.close();
    this.#screen.dispose();
  }

  #noteEnter(data: Buffer, prompt: "busy" | "unknown" = "unknown"): void {
    if (data.includes("\r") || data.includes("\n")) this.#screen.enter(prompt);
  }

  #take(chunk: Buffer): void {
    this.#audience.output(chunk);
    this.#screen.feed(chunk);
    this.#givesWay = this.#courtesy.mustWait(this.id, chunk.length, this.#goOn);
    if (this.#givesWay) this.#adjust();
    if (this.#screen.backlog > MAX_BACKLOG_BYTES) {
      this.#adjust();
      void this.#screen.settle().then(() => this.#adjust());
    }
  }

  readonly #goOn = () => {
    this.#givesWay = false;
    this.#adjust();
  };

  async #resize(cols: number, rows: number): Promise<void> {
    if (cols === this.#size.cols && rows === this.#size.rows) return;
    this.#size = { cols, rows };
    await this.#still(async () => {
      await this.#screen.resize(cols, rows);
      if (!this.#ending && !this.#input.isClosed) this.#pty.resize(cols, rows);
      this.#audience.hear({ type: "resize", cols, rows });
    });
  }

  #picture() {
    return { ...this.#size, screen: this.#screen.snapshot() };
  }

  /** Works while no output comes and all of it is drawn. */
  async #still(work: () => void | Promise<void>): Promise<void> {
    this.#holds++;
    this.#adjust();
    try {
      await this.#screen.settle();
      await work();
    } finally {
      this.#holds--;
      this.#adjust();
    }
  }

  /** Pauses the program for viewers that cannot draw as fast as it writes, and resumes it. */
  #adjust(): void {
    const mustPause =
      this.#holds > 0 ||
      this.#givesWay ||
      this.#screen.backlog > MAX_BACKLOG_BYTES ||
      this.#audience.mustWait;
    const isOver = this.#ending || this.#input.isClosed;
    if (mustPause === this.#isPaused || isOver) return;
    this.#isPaused = mustPause;
    if (mustPause) this.#pty.pause();
    else this.#pty.resume();
  }
}

function nameOf(signal: number): string {
  for (const [name, number] of Object.entries(constants.signals))
    if (number === signal) return name;
  return String(signal);
}
