import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import type { TerminalProgram } from "../../src/terminal-program.ts";
import { until } from "./wait.ts";

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A program in a terminal of 120 by 40, by the `script` of the system. */
export class RealScreen {
  readonly #child: ChildProcessWithoutNullStreams;
  #shown = "";

  constructor(program: TerminalProgram, cwd: string) {
    const line = [program.file, ...program.args].map(quote).join(" ");
    this.#child = spawn(
      "script",
      ["-qfec", `stty cols 120 rows 40; exec ${line}`, "/dev/null"],
      {
        cwd,
        detached: true,
        env: {
          PATH: process.env["PATH"],
          HOME: process.env["HOME"],
          TERM: "xterm-256color",
          ...program.env,
        },
      },
    );
    this.#child.stdout.on("data", (chunk) => (this.#shown += String(chunk)));
  }

  /** What was written so far, without sequences and blanks: screens move about instead of writing in order. */
  get text(): string {
    return stripVTControlCharacters(this.#shown).replace(/\s+/g, "");
  }

  async shows(words: string): Promise<void> {
    const wanted = words.replace(/\s+/g, "");
    await this.#until(() => this.text.includes(wanted), `"${words}" shows`);
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Pastes a text as a terminal does, and presses Enter until it is taken: some screens are not ready when they show. */
  async paste(text: string, isTaken: () => boolean): Promise<void> {
    this.type(`\x1b[200~${text}\x1b[201~`);
    await this.shows(text);
    const press = () => this.type("\r");
    press();
    const again = setInterval(press, 1000);
    try {
      await this.#until(isTaken, `"${text}" is sent off`);
    } finally {
      clearInterval(again);
    }
  }

  async #until(look: () => boolean, what: string): Promise<void> {
    try {
      await until(look, what);
    } catch (error) {
      const shown = this.text.slice(-1500);
      throw new Error(`${String(error)} It shows ${shown}`, { cause: error });
    }
  }

  async end(): Promise<void> {
    const { pid, exitCode } = this.#child;
    if (pid === undefined || exitCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    process.kill(-pid, "SIGHUP");
    const late = setTimeout(() => process.kill(-pid, "SIGKILL"), 3000);
    await gone;
    clearTimeout(late);
  }
}
