import type { IBuffer, IBufferCell } from "@xterm/headless";
import { toLinkNumber } from "./cell-style.ts";
import type { StyledCell } from "./cell-style.ts";

/** A program can give each character a long address of its own, so that all of them together have a limit. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** What would end an address. */
const CONTROL = /\p{Cc}/u;

/** The links (OSC 8) that xterm.js knows, by number. */
export interface LinkSource {
  _dataByLinkId: ReadonlyMap<number, unknown>;
  getLinkData(link: number): { id?: string; uri: string } | undefined;
}

/** Links, as the sequences that open them. */
export interface ScreenLinks {
  /** The sequence after which text is a part of a link, or of none for 0. */
  open(link: number): string;
  /** The first row of a buffer whose links are kept. */
  firstRow(buffer: IBuffer): number;
}

/** @param buffers Those that are shown; of too many links, those of the first buffer and of the newest rows are kept. */
export function createScreenLinks(
  source: LinkSource,
  buffers: readonly IBuffer[],
): ScreenLinks {
  const firstRows = new Map<IBuffer, number>();
  let left = MAX_CHARACTERS;

  function open(link: number): string {
    const data = link === 0 ? undefined : source.getLinkData(link);
    const { id = "", uri = "" } = data ?? {};
    const isSafe = !CONTROL.test(id + uri);
    return isSafe
      ? `\x1b]8;${id === "" ? "" : `id=${id}`};${uri}\x1b\\`
      : open(0);
  }

  function findFirstRow(buffer: IBuffer): number {
    const reused = buffer.getNullCell();
    for (let y = buffer.length - 1; y >= 0; y--) {
      left -= measureRow(buffer, y, reused, open);
      if (left < 0) return y + 1;
    }
    return 0;
  }

  if (source._dataByLinkId.size > 0)
    for (const buffer of buffers) firstRows.set(buffer, findFirstRow(buffer));
  return { open, firstRow: (buffer) => firstRows.get(buffer) ?? 0 };
}

/** Characters that the links of a row take. */
function measureRow(
  buffer: IBuffer,
  y: number,
  reused: IBufferCell,
  open: (link: number) => string,
): number {
  const line = buffer.getLine(y);
  let sum = 0;
  let before = 0;
  for (let x = 0; x < (line?.length ?? 0); x++) {
    const cell = line?.getCell(x, reused);
    const link = cell ? toLinkNumber(cell as IBufferCell & StyledCell) : 0;
    if (link !== before) sum += open(link).length;
    before = link;
  }
  return sum;
}
