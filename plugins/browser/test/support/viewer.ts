import { expect, onTestFinished } from "vitest";
import type {
  FrameMessage,
  ViewMessage,
} from "../../src/view/view-messages.ts";

type Message = ViewMessage | FrameMessage;
type OfType<Type extends Message["type"]> = Extract<Message, { type: Type }>;

/** A picture that a viewer received. */
export interface TestPicture {
  frame: FrameMessage;
  bytes: Buffer;
}

/** Views a tab as Gantry's page does: acknowledges each picture and keeps all messages. */
export async function openViewer(
  kernel: {
    url: string;
    pairAs(name: string): Promise<{ cookie: string }>;
  },
  tabId: string,
) {
  const { cookie } = await kernel.pairAs(`Viewer ${Math.random()}`);
  const url = `${kernel.url.replace(/^http/, "ws")}/api/browser/tabs/${tabId}/view`;
  const headers = { cookie, origin: kernel.url };
  // Node's constructor accepts headers, which the DOM types do not declare.
  const socket = new WebSocket(url, { headers } as unknown as string[]);
  socket.binaryType = "arraybuffer";
  const messages: Message[] = [];
  const pictures: TestPicture[] = [];
  let announced: FrameMessage | undefined;
  let confirms = true;
  const send = (message: object) => socket.send(JSON.stringify(message));
  socket.addEventListener("message", (event) => {
    const data: unknown = event.data;
    if (typeof data === "string") {
      const message = JSON.parse(data) as Message;
      messages.push(message);
      if (message.type === "frame") announced = message;
      return;
    }
    if (!announced) throw new Error("A picture was not announced.");
    pictures.push({
      frame: announced,
      bytes: Buffer.from(data as ArrayBuffer),
    });
    if (confirms) send({ type: "shown", frame: announced.frame });
    announced = undefined;
  });
  const closed = new Promise<{ code: number }>((resolve) =>
    socket.addEventListener("close", ({ code }) => resolve({ code })),
  );
  onTestFinished(() => socket.close());
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () =>
      reject(new Error("The view was refused.")),
    );
  });
  return {
    send,
    pictures,
    messages,
    closed,
    close: () => socket.close(),
    set confirms(next: boolean) {
      confirms = next;
    },
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
      await expect.poll(find, { timeout: 30_000 }).toBeDefined();
      return find()!;
    },
    click(x: number, y: number): void {
      for (const kind of ["down", "up"])
        send({
          type: "mouse",
          kind,
          x,
          y,
          button: 0,
          buttons: kind === "down" ? 1 : 0,
          clicks: 1,
        });
    },
  };
}
