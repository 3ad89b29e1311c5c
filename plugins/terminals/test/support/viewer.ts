import { StringDecoder } from "node:string_decoder";
import headless from "@xterm/headless";
import { WebSocket } from "ws";
import { expect, onTestFinished, vi } from "vitest";

/** What the daemon says about a terminal. */
export type Heard = { type: string } & Record<string, unknown>;

/** One who looks at a terminal, as a page does. */
export interface TestViewer {
  /** Types into the terminal. */
  type(text: string | Uint8Array): void;
  say(message: unknown): void;
  /** Everything that the daemon said, but for the bytes. */
  readonly heard: Heard[];
  /** Bytes that came so far. */
  readonly bytes: number;
  /** All output since the last screen, as text. */
  text(): string;
  /** What a terminal would show now: the lines above the screen included, the empty ones at the end not. */
  screen(): Promise<string>;
  /** Resolves when the text is in the output. */
  sees(text: string | RegExp): Promise<void>;
  hears(message: object): Promise<void>;
  /** Whether the viewer acknowledges the output that it gets. */
  confirms: boolean;
  close(): void;
  readonly closed: Promise<{ code: number; reason: string }>;
}

/**
 * Output that is confirmed at once: less than half of the smallest window. The budget of messages does not fill up again
 * while the test's clock stands still, so that there may not be more of them when a slow machine delivers small pieces.
 */
const CONFIRMED_BYTES = 30_000;

/** Looks at a terminal through a WebSocket. */
export async function openViewer(
  url: string,
  id: string,
  headers: Record<string, string>,
): Promise<TestViewer> {
  const socket = new WebSocket(
    `${url.replace(/^http/, "ws")}/api/terminals/${id}/attach`,
    { headers },
  );
  socket.binaryType = "arraybuffer";
  onTestFinished(() => socket.close());
  const heard: Heard[] = [];
  let decoder = new StringDecoder();
  let text = "";
  let terminal = new headless.Terminal({
    allowProposedApi: true,
    scrollback: 2000,
  });
  let bytes = 0;
  let unconfirmed = 0;
  let confirms = true;

  const say = (message: unknown) => socket.send(JSON.stringify(message));
  function confirm(least: number): void {
    if (!confirms || unconfirmed < least) return;
    say({ type: "ack", bytes: unconfirmed });
    unconfirmed = 0;
  }
  const timer = setInterval(() => confirm(CONFIRMED_BYTES), 15);
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.addEventListener(
      "close",
      ({ code, reason }: { code: number; reason: string }) => {
        clearInterval(timer);
        resolve({ code, reason });
      },
    ),
  );
  socket.addEventListener("message", ({ data }: { data: unknown }) => {
    if (typeof data === "string") {
      const message = JSON.parse(data) as Heard;
      heard.push(message);
      if (message.type === "screen") {
        decoder = new StringDecoder();
        text = "";
        terminal = new headless.Terminal({
          allowProposedApi: true,
          scrollback: 2000,
          cols: Number(message.cols),
          rows: Number(message.rows),
        });
      } else if (message.type === "resize") {
        terminal.resize(Number(message.cols), Number(message.rows));
      }
      return;
    }
    const piece = Buffer.from(data as ArrayBuffer);
    bytes += piece.length;
    unconfirmed += piece.length;
    text += decoder.write(piece);
    terminal.write(piece);
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () =>
      reject(new Error("The socket was refused.")),
    );
  });

  return {
    heard,
    closed,
    say,
    text: () => text,
    type: (data) =>
      socket.send(typeof data === "string" ? Buffer.from(data) : data),
    get bytes() {
      return bytes;
    },
    get confirms() {
      return confirms;
    },
    set confirms(value) {
      confirms = value;
      confirm(1);
    },
    async screen() {
      await new Promise<void>((resolve) => terminal.write("", resolve));
      return readScreen(terminal);
    },
    sees: (wanted) =>
      vi.waitFor(
        () => {
          // `toMatch` would describe megabytes of output at each try, which takes longer than the output itself.
          const isThere =
            typeof wanted === "string"
              ? text.includes(wanted)
              : wanted.test(text);
          if (isThere) return;
          const end = JSON.stringify(text.slice(-500));
          throw new Error(`${wanted} is not in the output, which ends ${end}.`);
        },
        { interval: 10 },
      ),
    hears: (message) =>
      vi.waitFor(
        () => expect(heard).toContainEqual(expect.objectContaining(message)),
        { interval: 10 },
      ),
    close: () => socket.close(),
  };
}

/** The lines of a terminal, without the empty ones at the end. */
export function readScreen(terminal: headless.Terminal): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let row = 0; row < active.length; row++)
    lines.push(active.getLine(row)?.translateToString(true) ?? "");
  return lines.join("\n").trimEnd();
}
