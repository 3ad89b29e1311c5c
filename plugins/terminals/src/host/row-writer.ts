import type {
  IBuffer,
  IBufferCell,
  IBufferLine,
  Terminal,
} from "@xterm/headless";
import { toBackground, toLinkNumber, toSgr, toStyle } from "./cell-style.ts";
import type { StyledCell } from "./cell-style.ts";
import type { ScreenLinks } from "./screen-links.ts";

type Cell = IBufferCell & StyledCell;

/** Writes the rows of a buffer, so that each cell looks the same on a fresh screen. */
export class RowWriter {
  readonly #cols: number;
  readonly #links: ScreenLinks;
  /** How the next character would look. */
  #style = "";
  #link = 0;

  constructor({ cols }: Pick<Terminal, "cols">, links: ScreenLinks) {
    this.#cols = cols;
    this.#links = links;
  }

  /** All rows, with the cursor in the first column of the first one before. */
  write(buffer: IBuffer): string {
    const firstRowWithLinks = this.#links.firstRow(buffer);
    const reused = buffer.getNullCell();
    let text = "";
    for (let y = 0; y < buffer.length; y++) {
      const line = buffer.getLine(y)!;
      // Behind its last row a buffer may still hold one that it has released.
      const isLast = y + 1 === buffer.length;
      const next = isLast ? undefined : buffer.getLine(y + 1);
      const hasLinks = y >= firstRowWithLinks;
      const { written, end } = this.#row(line, hasLinks, reused);
      text += written;
      if (!next) break;
      if (!next.isWrapped) text += `${this.#setStyle("")}\r\n`;
      else if (end < this.#cols || isEmpty(next.getCell(0)))
        text += this.#wrap(line, end);
    }
    return text + this.#setLink(0) + this.#setStyle("");
  }

  /** One character with its style, and nothing else. */
  cell(cell: IBufferCell): string {
    const styled = cell as Cell;
    const text =
      this.#setStyle(toStyle(styled)) +
      this.#setLink(toLinkNumber(styled)) +
      (styled.getChars() || " ");
    return text + this.#setLink(0);
  }

  /** A row from its first column on, and the column behind its last character. */
  #row(
    line: IBufferLine,
    hasLinks: boolean,
    reused: IBufferCell,
  ): { written: string; end: number } {
    let written = "";
    let end = 0;
    for (let x = 0; x < this.#cols; x++) {
      const cell = line.getCell(x, reused) as Cell | undefined;
      if (!cell || cell.getWidth() === 0 || isEmpty(cell)) continue;
      if (x > end)
        written += `${this.#backgrounds(line, end, x)}\x1b[${x + 1}G`;
      written += this.#setStyle(toStyle(cell));
      written += this.#setLink(hasLinks ? toLinkNumber(cell) : 0);
      // What is emptied, and has more of a style than a background, looks like a space.
      written += cell.getChars() || " ";
      end = x + cell.getWidth();
    }
    if (end < this.#cols) written += this.#backgrounds(line, end, this.#cols);
    return { written, end };
  }

  /** Empties cells in their backgrounds, from the cursor on. Leaves the cursor anywhere among them. */
  #backgrounds(line: IBufferLine, from: number, to: number): string {
    let text = "";
    for (let x = from; x < to;) {
      const background = backgroundAt(line, x);
      let end = x + 1;
      while (end < to && backgroundAt(line, end) === background) end++;
      if (background !== "") {
        if (x > from) text += `\x1b[${x + 1}G`;
        text += `${this.#setStyle(background)}\x1b[${end - x}X`;
      }
      x = end;
    }
    return text;
  }

  /**
   * Moves to the next row as a text that is too long for its row does, where no character of the screen would: fills the
   * row, writes one more, and empties those again.
   */
  #wrap(line: IBufferLine, end: number): string {
    const count = this.#cols - end;
    let text = this.#setLink(0) + this.#setStyle("");
    if (count > 0) text += `\x1b[${end + 1}G${" ".repeat(count)}`;
    text += " ";
    if (count > 0)
      text += `\x1b[A\x1b[${end + 1}G\x1b[${count}X${this.#backgrounds(line, end, this.#cols)}\x1b[B`;
    return `${text}\r${this.#setStyle("")}\x1b[X`;
  }

  #setStyle(style: string): string {
    if (style === this.#style) return "";
    this.#style = style;
    return toSgr(style);
  }

  #setLink(link: number): string {
    if (link === this.#link) return "";
    this.#link = link;
    return this.#links.open(link);
  }
}

/** Whether nothing but a background is to be seen of a cell. */
function isEmpty(cell: IBufferCell | undefined): boolean {
  if (!cell) return true;
  const styled = cell as Cell;
  return (
    cell.getChars() === "" &&
    toLinkNumber(styled) === 0 &&
    toStyle(styled) === toBackground(styled)
  );
}

function backgroundAt(line: IBufferLine, x: number): string {
  const cell = line.getCell(x) as Cell | undefined;
  return cell ? toBackground(cell) : "";
}
