import type { IBuffer, Terminal } from "@xterm/headless";
import { toLinkNumber, toSgr, toStyle } from "./cell-style.ts";
import type { StyledCell } from "./cell-style.ts";
import { RowWriter } from "./row-writer.ts";
import type { ScreenModes } from "./screen-modes.ts";
import { createScreenLinks } from "./screen-links.ts";
import type { LinkSource } from "./screen-links.ts";

/** What of xterm.js is not in its types, and in every version of it. */
interface TerminalCore {
  _inputHandler: { _curAttrData: StyledCell };
  _oscLinkService: LinkSource;
  buffers: { normal: BufferState; alt: BufferState };
}

interface BufferState {
  scrollTop: number;
  scrollBottom: number;
  ybase: number;
  savedX: number;
  savedY: number;
  savedCurAttrData: StyledCell;
}

/**
 * Writes down a screen with all that scrolled off it, as sequences that draw it on a fresh one of the same size.
 *
 * The addon of xterm.js that does the same knows fewer attributes: no links, and only plain underlines.
 */
export function serializeScreen(
  terminal: Terminal,
  modes: ScreenModes,
  title: string | null,
): string {
  const core = (terminal as unknown as { _core: TerminalCore })._core;
  const { normal, alternate, active } = terminal.buffer;
  const isAlternate = active.type === "alternate";
  const links = createScreenLinks(
    core._oscLinkService,
    isAlternate ? [alternate, normal] : [normal],
  );
  const writer = new RowWriter(terminal, links);
  let text = writer.write(normal) + setUp(core.buffers.normal);
  if (isAlternate) {
    // It saves the cursor as well, and empties the other screen in the background of that moment.
    const screen = writer.write(alternate);
    text += `\x1b[?1049h\x1b[0m\x1b[2J\x1b[H${screen}${setUp(core.buffers.alt)}`;
  }
  text += `\x1b[0m${modes.serializePlace()}`;
  const last = lastCellBehind(active, terminal.cols);
  if (last) text += `\x1b[${last.x + 1}G${writer.cell(last.cell)}`;
  const pen = core._inputHandler._curAttrData;
  text += `${toSgr(toStyle(pen, true))}`;
  const link = toLinkNumber(pen);
  if (link !== 0) text += links.open(link);
  text += modes.serialize();
  return title === null ? text : `${text}\x1b]2;${title}\x1b\\`;
}

/** The cell before a cursor that stands behind the last column, since a character was written there. */
function lastCellBehind(buffer: IBuffer, cols: number) {
  if (buffer.cursorX < cols) return undefined;
  const line = buffer.getLine(buffer.baseY + buffer.cursorY);
  for (let x = cols - 1; x >= 0; x--) {
    const cell = line?.getCell(x);
    if (cell && cell.getWidth() > 0) return { x, cell };
  }
  return undefined;
}

/** Sets what belongs to a buffer beside its rows: the margins of scrolling, and the cursor that a program has saved. */
function setUp(state: BufferState): string {
  const { scrollTop, scrollBottom, ybase, savedX, savedY } = state;
  const y = Math.max(0, savedY - ybase);
  const style = toSgr(toStyle(state.savedCurAttrData, true));
  return `\x1b[${scrollTop + 1};${scrollBottom + 1}r\x1b[${y + 1};${savedX + 1}H${style}\x1b7`;
}
