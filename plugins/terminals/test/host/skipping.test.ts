import headless from "@xterm/headless";
import { expect, test } from "vitest";
import { followModes } from "../../src/host/screen-modes.ts";
import { Screen } from "../../src/host/screen.ts";
import { serializeScreen } from "../../src/host/serialize-screen.ts";
import { dropScrolledOut, isPlain } from "../../src/host/skip-scrolled-out.ts";

const size = { cols: 80, rows: 24, scrollback: 300 };

/** A terminal that draws everything, and says what it shows with its colours. */
function createTerminal() {
  const terminal = new headless.Terminal({ ...size, allowProposedApi: true });
  const modes = followModes(terminal);
  return {
    write: (bytes: Uint8Array) => terminal.write(bytes),
    async picture() {
      await new Promise<void>((resolve) => terminal.write("", resolve));
      return serializeScreen(terminal, modes, null);
    },
  };
}

const RESET = "\x1b[0m";
/** The same lines every time, in other ways of writing. */
const floods: Record<string, (line: number) => string> = {
  "without colours": (line) => `${line} ${"é wide 漢字 ".repeat(line % 17)}`,
  "in colours that are put back": (line) =>
    `${line} \x1b[3${line % 8}mred ${"漢字 ".repeat(line % 30)}\x1b[1;4mbold${RESET} end`,
  "in colours that continue over lines": (line) =>
    `${line % 7 ? "" : `\x1b[38;5;${line % 20}m`}${line} text ${line % 11 ? "" : "\x1b[1m"}${line % 13 ? "" : "\x1b[22;48:2::1:2:3m"}${line % 501 ? "" : "\x1b[m"}`,
  "in colours that were chosen long before": (line) =>
    `${line % 1_000 ? "" : `\x1b[4${1 + ((line / 1_000) % 6)}m\x1b[3m`}${line} text`,
  "in more colours than can be kept": (line) =>
    `\x1b[38;2;${line % 256};${line % 99};7m${line} ${"█".repeat(line % 90)}`,
  "with lines that are emptied": (line) =>
    `${line} \x1b[41mmatch\x1b[K${line % 3 ? RESET : ""} of many\x1b[1K`,
};

for (const [name, toLine] of Object.entries(floods))
  test(`a screen that was skipped through is the one that was drawn in full: a flood ${name}`, async () => {
    const screen = new Screen({ ...size, nonce: null, reply() {} });
    const terminal = createTerminal();
    let line = 0;
    for (let piece = 0; piece < 400; piece++) {
      let text = "";
      for (let at = 0; at < 60; at++)
        text += `${toLine(line++)}${line % 5 ? "\r\n" : "\n"}`;
      const bytes = Buffer.from(text);
      // Cut anywhere, also within a character or a sequence.
      const cut = (piece * 37) % bytes.length;
      for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
        screen.feed(part);
        terminal.write(part);
      }
    }
    await screen.settle();
    const copy = createTerminal();
    copy.write(screen.snapshot());
    expect(await copy.picture()).toBe(await terminal.picture());
    screen.dispose();
  });

test("only what writes text, coloured or not, is plain", () => {
  const plain = ["a\r\nb\t漢é", "\x1b[m\x1b[1;38:5:3mx\x1b[K\x1b[2K"];
  const others = [
    "\x1b[2J",
    "\x1b[>4;1m",
    "\x1b[?25l",
    "\x1b]0;title\x07",
    "\x1b7",
    "\x1b[1",
    "\x1b",
    "\x0e",
    "\u009b1m",
  ];
  for (const text of plain) expect(isPlain(Buffer.from(text)), text).toBe(true);
  for (const text of others)
    expect(isPlain(Buffer.from(text)), text).toBe(false);
});

test("of a flood in colours little is kept", () => {
  const lines = Array.from({ length: 5_000 }, (_, line) =>
    Buffer.from(`\x1b[3${line % 8}m${line}\x1b[39m\r\n`),
  );
  const kept = Buffer.concat(dropScrolledOut(lines, 100)).toString();
  expect(kept.split("\r\n").length).toBeLessThan(110);
  // What was written last before it counts last.
  expect(kept.slice(0, 5)).toBe("\x1b[3" + kept[3] + "m");
  expect(kept).toContain("\x1b[39m\x1b[3");
});
