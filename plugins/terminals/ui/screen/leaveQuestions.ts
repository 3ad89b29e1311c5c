import type { Terminal } from "@xterm/xterm";

/**
 * Leaves what programs ask of their terminal without an answer: the host of the terminals answers for all viewery, and a
 * second answer would be typed into the program.
 */
export function leaveQuestions(terminal: Terminal): void {
  const { parser } = terminal;
  const ignore = () => true;
  // Device attributes and status, the cursor's place, modes.
  for (const id of [
    { final: "c" },
    { prefix: ">", final: "c" },
    { prefix: "=", final: "c" },
    { final: "n" },
    { prefix: "?", final: "n" },
    { intermediates: "$", final: "p" },
    { prefix: "?", intermediates: "$", final: "p" },
  ])
    parser.registerCsiHandler(id, ignore);
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, ignore);
  // Colours: asking is left, setting is done.
  for (const code of [4, 10, 11, 12])
    parser.registerOscHandler(code, (data) => data.includes("?"));
  // The clipboard is the user's alone, both ways.
  parser.registerOscHandler(52, ignore);
}
