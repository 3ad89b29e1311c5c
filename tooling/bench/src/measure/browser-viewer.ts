import { send } from "./http.ts";
import type { Daemon } from "./daemon.ts";

/** A viewer of one tab of the work browser. */
export interface BrowserViewer {
  /** Bytes of pictures that came so far, and their number. */
  readonly bytes: number;
  readonly pictures: number;
  send(message: object): void;
  /** Resolves with the next picture. */
  next(): Promise<void>;
  close(): void;
}

/** Opens a page in the work browser, which starts if it does not run. Gives the id of the tab. */
export async function openTab(daemon: Daemon, url: string): Promise<string> {
  const { status, body } = await send(`${daemon.base}/api/browser/tabs`, {
    method: "POST",
    headers: { ...daemon.session, origin: daemon.base },
    body: { url },
  });
  if (status !== 200)
    throw new Error(`No page opens: ${status} ${body.toString()}`);
  return (JSON.parse(body.toString()) as { id: string }).id;
}

/** Title of a tab, once it fits. */
export async function readTitle(
  daemon: Daemon,
  id: string,
  fits: (title: string) => boolean,
): Promise<string> {
  for (;;) {
    const { body } = await send(`${daemon.base}/api/browser/tabs`, {
      headers: daemon.session,
    });
    const { items } = JSON.parse(body.toString()) as {
      items: { id: string; title: string }[];
    };
    const title = items.find((tab) => tab.id === id)?.title ?? "";
    if (fits(title)) return title;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Looks at a tab at 1280 × 800 and confirms each picture. */
export async function openBrowserViewer(
  { base, session }: Daemon,
  id: string,
): Promise<BrowserViewer> {
  const url = `${base.replace("http", "ws")}/api/browser/tabs/${id}/view`;
  // Node's own takes headers, which the types of a browser's do not know.
  const socket = new WebSocket(url, {
    headers: { ...session, origin: base },
  } as never);
  socket.binaryType = "arraybuffer";
  let bytes = 0;
  let pictures = 0;
  let frame = 0;
  let wake = () => {};
  const say = (message: object) => socket.send(JSON.stringify(message));
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") {
      const message = JSON.parse(data) as { type: string; frame: number };
      if (message.type === "frame") frame = message.frame;
      return;
    }
    bytes += (data as ArrayBuffer).byteLength;
    pictures += 1;
    say({ type: "shown", frame });
    wake();
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () =>
      reject(new Error("The tab cannot be viewed.")),
    );
  });
  say({ type: "size", width: 1280, height: 800, scale: 1, touch: false });
  return {
    get bytes() {
      return bytes;
    },
    get pictures() {
      return pictures;
    },
    send: say,
    next: () => new Promise((resolve) => (wake = resolve)),
    close: () => socket.close(),
  };
}
