import headless from "@xterm/headless";
import { WebSocket } from "undici";
import { expect, onTestFinished, vi } from "vitest";

/** What the daemon says about a terminal. */
export type Message = { type: string } & Record<string, unknown>;

/** One who looks at a terminal, as a page does. */
export interface TestViewer {
  /** Types into the terminal. */
  type(text: string | Uint8Array): void;
  say(message: unknown): void;
  /** Everything that the daemon said, but for the bytes. */
  readonly received: Message[];
  /** Bytes that came so far. */
  readonly bytes: number;
  /** All output since the last screen, as text. */
  text(): string;
  /** What a terminal would show now: the lines above the screen included, the empty ones at the end not. */
  screen(): Promise<string>;
  /** Resolves when the text is in the output. */
  sees(text: string | RegExp, timeout?: number): Promise<void>;
  receives(message: object): Promise<void>;
  /** Stops or goes on confirming what came. */
  confirms: boolean;
  close(): void;
  readonly closed: Promise<{ code: number; reason: string }>;
}

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
  const received: Message[] = [];
  let pieces: Buffer[] = [];
  let terminal = new headless.Terminal({
    allowProposedApi: true,
    scrollback: 2000,
  });
  let bytes = 0;
  let unconfirmed = 0;
  let confirms = true;

  const say = (message: unknown) => socket.send(JSON.stringify(message));
  function confirm(): void {
    // In steps, as the budget of messages asks for.
    if (!confirms || unconfirmed === 0) return;
    say({ type: "ack", bytes: unconfirmed });
    unconfirmed = 0;
  }
  const timer = setInterval(confirm, 15);
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
      const message = JSON.parse(data) as Message;
      received.push(message);
      if (message.type === "screen") {
        pieces = [];
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
    pieces.push(piece);
    terminal.write(piece);
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () =>
      reject(new Error("The socket was refused.")),
    );
  });

  const text = () => Buffer.concat(pieces).toString();
  return {
    received,
    closed,
    say,
    text,
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
      confirm();
    },
    async screen() {
      await new Promise<void>((resolve) => terminal.write("", resolve));
      return readScreen(terminal);
    },
    sees: (wanted, timeout = 45_000) =>
      vi.waitFor(() => expect(text()).toMatch(wanted), {
        timeout,
        interval: 10,
      }),
    receives: (message) =>
      vi.waitFor(
        () => expect(received).toContainEqual(expect.objectContaining(message)),
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
