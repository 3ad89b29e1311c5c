import type { IPty } from "node-pty";
import { expect, onTestFinished, test, vi } from "vitest";
import { Courtesy } from "../../src/host/courtesy.ts";
import { HostedTerminal } from "../../src/host/hosted-terminal.ts";
import { PtyInput } from "../../src/host/pty-input.ts";

/** A terminal whose program has said something, and what is written into it, with the times. */
function startHosted(output: string) {
  const written: { text: string; at: number }[] = [];
  vi.spyOn(PtyInput.prototype, "write").mockImplementation((data) => {
    written.push({ text: data.toString(), at: performance.now() });
    return true;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  let say: ((data: string) => unknown) | undefined;
  const pty = {
    on() {},
    onData: (listener: typeof say) => (say = listener),
    onExit() {},
  };
  const terminal = new HostedTerminal(
    { spawn: () => pty as unknown as IPty },
    {
      ...{ id: "trm_x", cwd: "/", cols: 80, rows: 24, scrollback: 100 },
      program: { file: "cli", args: [], env: {} },
      nonce: null,
    },
    new Courtesy(),
    () => {},
  );
  // As the program of a terminal without an encoding says it.
  say?.(Buffer.from(output) as unknown as string);
  return { terminal, written };
}

test("Enter comes apart from the paste before it", async () => {
  const { terminal, written } = startHosted("\u001b[?2004h");
  expect(await terminal.paste("one\ntwo")).toEqual({ refused: null });
  const [paste, enter] = written;
  expect(written.map(({ text }) => text)).toEqual([
    "\u001b[200~one\rtwo\u001b[201~",
    "\r",
  ]);
  // A program that reads meanwhile gets two pieces.
  expect(enter!.at - paste!.at).toBeGreaterThan(50);
});
