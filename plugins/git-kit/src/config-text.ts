/** One setting in a git configuration file. */
export interface ConfigEntry {
  /** In lower case, such as `core`. */
  section: string;
  /** Case-sensitive, such as `origin` in `[remote "origin"]`. */
  subsection: string | undefined;
  /** In lower case. */
  key: string;
  /** `null` for a key without `=`, which means true. */
  value: string | null;
}

const SPACE = /[ \t\r\n]/;
const KEY = /[A-Za-z0-9-]/;
const ESCAPES: Readonly<Record<string, string>> = {
  "\n": "",
  '"': '"',
  "\\": "\\",
  b: "\b",
  n: "\n",
  t: "\t",
};

/**
 * Parses a git configuration with the same result as git, without following `include.path`.
 *
 * @returns the entries, or the number of the line with a syntax error
 */
export function parseConfig(text: string): ConfigEntry[] | number {
  const parser = new Parser(text);
  return parser.parse() ? parser.entries : parser.line;
}

/** Writes a configuration that git and {@link parseConfig} parse into these entries. */
export function formatConfig(entries: readonly ConfigEntry[]): string {
  return entries
    .map(({ section, subsection, key, value }) => {
      const name =
        subsection === undefined
          ? `[${section}]`
          : `[${section} "${subsection.replace(/["\\]/g, "\\$&")}"]`;
      return `${name}\n\t${key}${value === null ? "" : ` = ${quote(value)}`}\n`;
    })
    .join("");
}

function quote(value: string): string {
  const escaped = value
    .replace(/["\\]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t")
    .replaceAll("\b", "\\b");
  return `"${escaped}"`;
}

/** A recursive descent over characters: quotes and escapes decide where a line ends. */
class Parser {
  readonly entries: ConfigEntry[] = [];
  line = 1;
  readonly #text: string;
  #at = 0;
  #section = "";
  #subsection: string | undefined;

  constructor(text: string) {
    // git drops a byte order mark, and a carriage return at the end of a line.
    this.#text = text.replace(/^\u00ef\u00bb\u00bf/, "").replace(/\r\n/g, "\n");
  }

  /** Returns false at the first syntax error. */
  parse(): boolean {
    for (let letter; (letter = this.#next()) !== undefined;) {
      if (SPACE.test(letter)) continue;
      if (letter === "#" || letter === ";") this.#skipLine();
      else if (letter === "[") {
        if (!this.#readSection()) return false;
      } else if (!/[A-Za-z]/.test(letter) || !this.#readEntry(letter))
        return false;
    }
    return true;
  }

  #next(): string | undefined {
    const letter = this.#text[this.#at];
    if (letter === undefined) return undefined;
    this.#at += 1;
    if (letter === "\n") this.line += 1;
    return letter;
  }

  #skipLine(): void {
    for (let letter; (letter = this.#next()) !== undefined;)
      if (letter === "\n") return;
  }

  #readSection(): boolean {
    let name = "";
    for (;;) {
      const letter = this.#next();
      if (letter === undefined) return false;
      if (letter === "]") {
        this.#enter(name);
        return name !== "";
      }
      if (SPACE.test(letter)) return this.#readSubsection(name, letter);
      if (!KEY.test(letter) && letter !== ".") return false;
      name += letter.toLowerCase();
    }
  }

  #readSubsection(section: string, first: string): boolean {
    let letter: string | undefined = first;
    while (letter !== undefined && SPACE.test(letter)) {
      if (letter === "\n") return false;
      letter = this.#next();
    }
    if (letter !== '"') return false;
    let name = "";
    for (;;) {
      letter = this.#next();
      if (letter === '"') break;
      if (letter === "\\") letter = this.#next();
      if (letter === undefined || letter === "\n") return false;
      name += letter;
    }
    this.#enter(section, name);
    return this.#next() === "]";
  }

  /** In the older notation, `[section.subsection]`, the first dot separates the two. */
  #enter(name: string, subsection?: string): void {
    const [section = "", ...rest] = name.split(".");
    if (subsection !== undefined) rest.push(subsection);
    this.#section = section;
    this.#subsection = rest.length > 0 ? rest.join(".") : undefined;
  }

  #readEntry(first: string): boolean {
    let key = first.toLowerCase();
    let letter = this.#next();
    for (; letter !== undefined && KEY.test(letter); letter = this.#next())
      key += letter.toLowerCase();
    while (letter === " " || letter === "\t") letter = this.#next();
    let value: string | null = null;
    if (letter !== undefined && letter !== "\n") {
      if (letter !== "=") return false;
      const read = this.#readValue();
      if (read === undefined) return false;
      value = read;
    }
    const [section, subsection] = [this.#section, this.#subsection];
    this.entries.push({ section, subsection, key, value });
    return true;
  }

  /** Returns `undefined` for a syntax error. */
  #readValue(): string | undefined {
    let value = "";
    let spaces = 0;
    let isQuoted = false;
    for (;;) {
      const letter = this.#next();
      if (letter === undefined || letter === "\n")
        return isQuoted ? undefined : value;
      if (!isQuoted && SPACE.test(letter)) {
        if (value !== "") spaces += 1;
        continue;
      }
      if (!isQuoted && (letter === "#" || letter === ";")) {
        this.#skipLine();
        return value;
      }
      value += " ".repeat(spaces);
      spaces = 0;
      if (letter === '"') isQuoted = !isQuoted;
      else if (letter === "\\") {
        const escape = ESCAPES[this.#next() ?? "\n"];
        if (escape === undefined) return undefined;
        value += escape;
      } else value += letter;
    }
  }
}
