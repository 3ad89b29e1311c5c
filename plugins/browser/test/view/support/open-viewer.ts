import { expect, onTestFinished } from "vitest";
import type {
  FrameMessage,
  ViewMessage,
} from "../../../src/view/view-messages.ts";

type Message = ViewMessage | FrameMessage;
type OfType<Type extends Message["type"]> = Extract<Message, { type: Type }>;

/** A picture that a viewer received. */
export interface TestPicture {
  frame: FrameMessage;
  bytes: Buffer;
}

/** Views a tab as Gantry's page does: acknowledges each picture, unless told not to, and keeps all messages. */
export async function openViewer(
  kernel: { url: string; pairAs(name: string): Promise<{ cookie: string }> },
  tabId: string,
  { acknowledges = true } = {},
) {
  const { cookie } = await kernel.pairAs(`Viewer ${Math.random()}`);
  const url = `${kernel.url.replace(/^http/, "ws")}/api/browser/tabs/${tabId}/view`;
  const headers = { cookie, origin: kernel.url };
  // Node's constructor accepts headers, which the types of the DOM do not declare.
  const socket = new WebSocket(url, { headers } as unknown as string[]);
  socket.binaryType = "arraybuffer";
  const messages: Message[] = [];
  const pictures: TestPicture[] = [];
  let announced: FrameMessage | undefined;
  const send = (message: object) => socket.send(JSON.stringify(message));
  socket.addEventListener("message", ({ data }: { data: unknown }) => {
    if (typeof data === "string") {
      const message = JSON.parse(data) as Message;
      messages.push(message);
      if (message.type === "frame") announced = message;
      return;
    }
    if (!announced) throw new Error("A picture was not announced.");
    const bytes = Buffer.from(data as ArrayBuffer);
    pictures.push({ frame: announced, bytes });
    if (acknowledges) send({ type: "shown", frame: announced.frame });
  });
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener("close", ({ code }) => resolve(code)),
  );
  onTestFinished(() => socket.close());
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () =>
      reject(new Error("The view was refused.")),
    );
  });
  const mouse = (kind: string, x: number, y: number, more: object = {}) =>
    send({ type: "mouse", kind, x, y, ...more });
  return {
    ...{ send, mouse, pictures, messages, closed },
    close: () => socket.close(),
    /** The newest matching message of a type, as soon as there is one. */
    async sees<Type extends Message["type"]>(
      type: Type,
      fits: (message: OfType<Type>) => boolean = () => true,
    ): Promise<OfType<Type>> {
      const find = () =>
        messages.findLast(
          (message): message is OfType<Type> =>
            message.type === type && fits(message as OfType<Type>),
        );
      await expect.poll(find).toBeDefined();
      return find()!;
    },
    click(x: number, y: number): void {
      mouse("down", x, y, { buttons: 1 });
      mouse("up", x, y);
    },
    press(key: string, code: string, more: object = {}): void {
      send({ type: "key", kind: "down", key, code, ...more });
      send({ type: "key", kind: "up", key, code });
    },
  };
}
