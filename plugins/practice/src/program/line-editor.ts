const ESCAPE = "\x1b";
/** The rest of an escape sequence. */
const SEQUENCE = /^\[([0-9;]*)[~A-Za-z]/;
/** The beginning of a sequence whose rest may follow. */
const UNFINISHED = /^(\[[0-9;]{0,8})?$/;

/** Callbacks of a {@link LineEditor}. */
export interface LineEditorHost {
  echo(text: string): void;
  line(text: string): void;
  interrupt(): void;
  /** The input has ended. */
  end(): void;
}

/** Assembles lines from the keys of a terminal in raw mode. Pasted text is one line, whatever it contains. */
export class LineEditor {
  readonly #host: LineEditorHost;
  #pending = "";
  #line = "";
  #isPasting = false;

  constructor(host: LineEditorHost) {
    this.#host = host;
  }

  feed(chunk: string): void {
    this.#pending += chunk;
    while (this.#pending !== "") {
      if (this.#pending.startsWith(ESCAPE)) {
        const rest = this.#pending.slice(1);
        if (UNFINISHED.test(rest)) return;
        const [sequence, code] = SEQUENCE.exec(rest) ?? ["", ""];
        this.#pending = rest.slice(sequence.length);
        if (code === "200") this.#isPasting = true;
        if (code === "201") this.#isPasting = false;
        continue;
      }
      const key = String.fromCodePoint(this.#pending.codePointAt(0) ?? 0);
      this.#pending = this.#pending.slice(key.length);
      this.#press(key);
    }
  }

  #press(key: string): void {
    switch (key) {
      case "\r":
      case "\n":
        return this.#isPasting ? this.#insert("\n") : this.#submit();
      case "\x03":
        return this.#host.interrupt();
      case "\x04":
        return this.#line === "" ? this.#host.end() : undefined;
      case "\b":
      case "\x7f": {
        const last = [...this.#line].at(-1);
        if (last === undefined) return;
        this.#line = this.#line.slice(0, -last.length);
        return this.#host.echo("\b \b");
      }
      case "\t":
        return this.#insert(" ");
      default:
        return key < " " ? undefined : this.#insert(key);
    }
  }

  #insert(text: string): void {
    this.#line += text;
    this.#host.echo(text);
  }

  #submit(): void {
    const line = this.#line;
    this.#line = "";
    this.#host.echo("\n");
    this.#host.line(line);
  }
}
