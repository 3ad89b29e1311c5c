import { copyText } from "@gantry/ui-kit";
import type { Terminal } from "@xterm/xterm";

/** Gives the keys for copying and pasting to the browser, and those that leave the terminal. */
export function takeClipboardKeys(terminal: Terminal, leave: () => void): void {
  const copy = () => {
    // Without the clipboard API it is copied out of a field, which takes the focus for a moment.
    void copyText(terminal.getSelection()).catch(() => undefined);
    terminal.clearSelection();
  };
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.type !== "keydown") return true;
    const key = event.key.toLowerCase();
    const isCommand = event.metaKey && !event.ctrlKey;
    if (key === "f6" && event.shiftKey) {
      leave();
      return false;
    }
    // Pasting is what the browser does by itself then.
    if (key === "v" && (isCommand || (event.ctrlKey && event.shiftKey)))
      return false;
    const copies =
      key === "c" &&
      (isCommand || event.ctrlKey) &&
      (terminal.hasSelection() || event.shiftKey);
    if (!copies) return true;
    event.preventDefault();
    if (terminal.hasSelection()) copy();
    return false;
  });
}
