/** What xterm.js keeps of a cell and of what is written next, beyond what its types tell. */
export interface StyledCell {
  readonly fg: number;
  readonly bg: number;
  readonly extended: ExtendedStyle;
}

interface ExtendedStyle {
  underlineStyle: number;
  readonly underlineColor: number;
  /** Number of the link; 0 without one. A cell with a link is underlined in the style of links. */
  urlId: number;
  clone(): ExtendedStyle;
}

/** Bits of both numbers, from the source of xterm.js (common/buffer/Constants.ts). */
const COLOR_MODE = 0x3000000;
const PALETTE_16 = 0x1000000;
const PALETTE_256 = 0x2000000;
const RGB = 0x3000000;
const HAS_EXTENDED = 0x10000000;
const UNDERLINE = 0x10000000;
/** Code of each style, with the bit that sets it. */
const FOREGROUND_STYLES = [
  [1, 0x8000000],
  [5, 0x20000000],
  [7, 0x4000000],
  [8, 0x40000000],
  [9, 0x80000000],
] as const;
const BACKGROUND_STYLES = [
  [2, 0x8000000],
  [3, 0x4000000],
  [53, 0x40000000],
] as const;

/**
 * The parameters of SGR that make text look like this, after all others were reset; empty for plain text.
 *
 * @param isPen Whether it is what is written next, which has a colour of underlines also while it draws none.
 */
export function toStyle(cell: StyledCell, isPen = false): string {
  const { fg, bg, extended } = cell;
  const codes: (number | string)[] = [];
  for (const [code, bit] of FOREGROUND_STYLES) if (fg & bit) codes.push(code);
  for (const [code, bit] of BACKGROUND_STYLES) if (bg & bit) codes.push(code);
  if (fg & UNDERLINE) codes.push(toUnderline(cell));
  codes.push(...toColor(fg, 30), ...toColor(bg, 40));
  if (isPen || bg & HAS_EXTENDED)
    codes.push(...toUnderlineColor(extended.underlineColor));
  return codes.join(";");
}

/** The parameter of SGR for the background alone, which is all that an emptied cell has; empty for the usual one. */
export function toBackground({ bg }: StyledCell): string {
  return toColor(bg, 40).join(";");
}

function toUnderline({ bg, extended }: StyledCell): string {
  if (!(bg & HAS_EXTENDED)) return "4";
  const own = extended.clone();
  own.urlId = 0;
  return own.underlineStyle > 1 ? `4:${own.underlineStyle}` : "4";
}

/** The sequence after which text looks so and not otherwise. */
export const toSgr = (style: string) =>
  style === "" ? "\x1b[0m" : `\x1b[0;${style}m`;

/** Number of the link of a cell; 0 without one. */
export const toLinkNumber = ({ bg, extended }: StyledCell) =>
  bg & HAS_EXTENDED ? extended.urlId : 0;

function toUnderlineColor(color: number): (number | string)[] {
  switch (color & COLOR_MODE) {
    case 0:
      return [];
    case RGB:
      return [`58:2::${toChannels(color).join(":")}`];
    default:
      return [`58:5:${color & 0xff}`];
  }
}

function toColor(value: number, base: 30 | 40): number[] {
  const index = value & 0xff;
  switch (value & COLOR_MODE) {
    case PALETTE_16:
      return [index < 8 ? base + index : base + 52 + index];
    case PALETTE_256:
      return [base + 8, 5, index];
    case RGB:
      return [base + 8, 2, ...toChannels(value)];
    default:
      return [];
  }
}

const toChannels = (color: number) => [
  (color >>> 16) & 0xff,
  (color >>> 8) & 0xff,
  color & 0xff,
];
