import type { Terminal } from "@xterm/headless";

const MOUSE_ENCODINGS = [1005, 1006, 1015, 1016];
const MOUSE_TRACKING: Readonly<Record<string, readonly number[]>> = {
  x10: [9],
  vt200: [1000],
  drag: [1002],
  any: [1003],
};
const CURSOR_VISIBLE = 25;

/** What of xterm.js is not in its types, and in every version of it. */
interface TerminalCore {
  /** The buffer that is shown. */
  buffer: { scrollTop: number; scrollBottom: number };
}

/** The modes of a screen, as the sequences that bring a fresh one into them. */
export interface ScreenModes {
  /** The mode that decides what a place is counted from, and the place of the cursor. */
  serializePlace(): string;
  /** All other modes. To be written last, since they decide how text is taken. */
  serialize(): string;
  /** Whether lines that leave the top of the screen are dropped or go to the scrollback: no region narrows the scrolling. */
  readonly scrollsWhole: boolean;
}

/** Follows the sequences that set what the terminal does not tell. */
export function followModes(terminal: Terminal): ScreenModes {
  let isCursorHidden = false;
  let mouseEncoding: number | undefined;
  let cursorStyle: number | undefined;
  let isLineDrawing = false;

  function reset(): void {
    isCursorHidden = false;
    mouseEncoding = undefined;
    cursorStyle = undefined;
    isLineDrawing = false;
  }
  const flat = (params: (number | number[])[]) =>
    params.map((param) => (Array.isArray(param) ? (param[0] ?? 0) : param));
  const { parser } = terminal;

  function follow(isSet: boolean) {
    return (params: (number | number[])[]) => {
      for (const mode of flat(params)) {
        if (mode === CURSOR_VISIBLE) isCursorHidden = !isSet;
        else if (MOUSE_ENCODINGS.includes(mode))
          mouseEncoding = isSet ? mode : undefined;
      }
      // Handled by the terminal as well.
      return false;
    };
  }
  parser.registerCsiHandler({ prefix: "?", final: "h" }, follow(true));
  parser.registerCsiHandler({ prefix: "?", final: "l" }, follow(false));
  parser.registerCsiHandler({ intermediates: " ", final: "q" }, (params) => {
    cursorStyle = flat(params)[0];
    return false;
  });
  parser.registerCsiHandler({ intermediates: "!", final: "p" }, () => {
    reset();
    return false;
  });
  parser.registerEscHandler({ final: "c" }, () => {
    reset();
    return false;
  });
  for (const final of ["0", "B"])
    parser.registerEscHandler({ intermediates: "(", final }, () => {
      isLineDrawing = final === "0";
      return false;
    });
  const { _core: core } = terminal as unknown as { _core: TerminalCore };
  return {
    serializePlace() {
      const { originMode } = terminal.modes;
      const { cursorX, cursorY } = terminal.buffer.active;
      const top = originMode ? core.buffer.scrollTop : 0;
      return `${originMode ? "\x1b[?6h" : ""}\x1b[${cursorY - top + 1};${cursorX + 1}H`;
    },
    serialize() {
      const { modes } = terminal;
      const set = [
        ...(modes.applicationCursorKeysMode ? [1] : []),
        ...(modes.reverseWraparoundMode ? [45] : []),
        ...(modes.applicationKeypadMode ? [66] : []),
        ...(MOUSE_TRACKING[modes.mouseTrackingMode] ?? []),
        ...(modes.sendFocusMode ? [1004] : []),
        ...(modes.bracketedPasteMode ? [2004] : []),
      ];
      let text = set.map((mode) => `\x1b[?${mode}h`).join("");
      if (modes.insertMode) text += "\x1b[4h";
      if (!modes.wraparoundMode) text += "\x1b[?7l";
      if (isLineDrawing) text += "\x1b(0";
      if (mouseEncoding !== undefined) text += `\x1b[?${mouseEncoding}h`;
      if (cursorStyle !== undefined) text += `\x1b[${cursorStyle} q`;
      if (isCursorHidden) text += `\x1b[?${CURSOR_VISIBLE}l`;
      return text;
    },
    get scrollsWhole() {
      const { scrollTop, scrollBottom } = core.buffer;
      const isWhole = scrollTop === 0 && scrollBottom === terminal.rows - 1;
      return isWhole && !terminal.modes.originMode;
    },
  };
}
