import type { Terminal } from "@xterm/headless";

const MOUSE_ENCODINGS = [1005, 1006, 1015, 1016];
const CURSOR_VISIBLE = 25;

/** What the serializer does not know of a screen. */
export interface ScreenModes {
  /** The sequences that bring a fresh screen into this state, the place of the cursor included. */
  serialize(): string;
  /** Whether lines that leave the top of the screen are gone for good or scrolled back: nothing narrows the scrolling. */
  readonly scrollsWhole: boolean;
}

/** Follows the sequences that set what the serializer does not know of. */
export function followModes(terminal: Terminal): ScreenModes {
  let isCursorHidden = false;
  let mouseEncoding: number | undefined;
  let cursorStyle: number | undefined;
  let isLineDrawing = false;
  let margins: { top: number; bottom: number } | undefined;

  function reset(): void {
    isCursorHidden = false;
    mouseEncoding = undefined;
    cursorStyle = undefined;
    isLineDrawing = false;
    margins = undefined;
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
  parser.registerCsiHandler({ final: "r" }, (params) => {
    const [top = 0, bottom = 0] = flat(params);
    const last =
      bottom === 0 || bottom > terminal.rows ? terminal.rows : bottom;
    const first = Math.max(top, 1);
    const isWhole = first === 1 && last === terminal.rows;
    margins =
      isWhole || first >= last ? undefined : { top: first, bottom: last };
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
  // A terminal that gets another size scrolls whole again.
  terminal.onResize(() => (margins = undefined));

  return {
    serialize() {
      let text = "";
      if (margins) {
        text += `\x1b[${margins.top};${margins.bottom}r`;
        // Setting them moves the cursor away.
        const { cursorX, cursorY } = terminal.buffer.active;
        const row = terminal.modes.originMode
          ? cursorY - margins.top + 2
          : cursorY + 1;
        text += `\x1b[${row};${cursorX + 1}H`;
      }
      if (isLineDrawing) text += "\x1b(0";
      if (mouseEncoding !== undefined) text += `\x1b[?${mouseEncoding}h`;
      if (cursorStyle !== undefined) text += `\x1b[${cursorStyle} q`;
      if (isCursorHidden) text += `\x1b[?${CURSOR_VISIBLE}l`;
      return text;
    },
    get scrollsWhole() {
      return margins === undefined && !terminal.modes.originMode;
    },
  };
}
