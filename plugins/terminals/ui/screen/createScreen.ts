import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal, type ITheme } from "@xterm/xterm";
import { leaveQuestions } from "./leaveQuestions.ts";
import { openLink } from "./links.ts";

/** Lines above the screen; a few more than the host keeps unless told otherwise. */
const SCROLLBACK = 5_000;

/** How a screen looks. */
export interface ScreenLook {
  theme: ITheme;
  fontFamily: string;
  fontSize: number;
  screenReader: boolean;
}

/** A terminal on the page. */
export interface Screen {
  terminal: Terminal;
  fit: FitAddon;
  search: SearchAddon;
  dispose(): void;
}

/** Puts a terminal into an element. It draws with the graphics card where it can. */
export function createScreen(element: HTMLElement, look: ScreenLook): Screen {
  const terminal = new Terminal({
    allowProposedApi: true,
    theme: look.theme,
    fontFamily: look.fontFamily,
    fontSize: look.fontSize,
    lineHeight: 1.2,
    scrollback: SCROLLBACK,
    screenReaderMode: look.screenReader,
    minimumContrastRatio: 4.5,
    macOptionIsMeta: true,
    rightClickSelectsWord: true,
    cursorBlink: false,
    linkHandler: { activate: openLink, allowNonHttpProtocols: false },
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  terminal.loadAddon(new WebLinksAddon(openLink));
  leaveQuestions(terminal);
  terminal.open(element);
  void drawWithGraphicsCard(terminal);
  return { terminal, fit, search, dispose: () => terminal.dispose() };
}

/** Without WebGL, or when the card takes it away, the terminal is drawn with elements. */
async function drawWithGraphicsCard(terminal: Terminal): Promise<void> {
  try {
    const { WebglAddon } = await import("@xterm/addon-webgl");
    const addon = new WebglAddon();
    addon.onContextLoss(() => addon.dispose());
    terminal.loadAddon(addon);
  } catch {
    // Slower, and the same to look at.
  }
}
