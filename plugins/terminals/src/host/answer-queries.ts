import type { Terminal } from "@xterm/headless";

/** The colours reported to a program that queries them: those of a dark screen. */
const COLORS: Readonly<Record<number, string>> = {
  10: "rgb:e5e5/e5e5/e5e5",
  11: "rgb:1010/1212/1616",
  12: "rgb:e5e5/e5e5/e5e5",
};

/**
 * Answers what programs ask of their terminal: what it is, where the cursor is, which colours it has. The host does it, and no
 * viewer: so there is one answer however many viewers there are, and it does not depend on their distance.
 *
 * @param reply Writes into the input of the program.
 */
export function answerQueries(
  terminal: Terminal,
  reply: (text: string) => void,
): void {
  terminal.onData(reply);
  for (const [code, color] of Object.entries(COLORS))
    terminal.parser.registerOscHandler(Number(code), (data) => {
      if (data === "?") reply(`\x1b]${code};${color}\x1b\\`);
      return true;
    });
  // Neither reads nor writes: the clipboard is the user's alone.
  terminal.parser.registerOscHandler(52, () => true);
}
