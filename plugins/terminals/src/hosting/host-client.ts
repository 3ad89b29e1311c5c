import { connect } from "node:net";
import type { Socket } from "node:net";
import {
  createFrameReader,
  FrameKind,
  toBytesFrame,
  toMessageFrame,
  writeFrame,
} from "../wire/frames.ts";
import type {
  FromDaemon,
  FromHost,
  HostRequests,
  ViewerHears,
  ViewerSays,
} from "../wire/protocol.ts";

/** What the host refused, by its code. */
export class HostRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The connection ended before there was an answer. */
export class HostLost extends Error {}

/** Takes what a viewer gets from the host. */
export interface ViewerEar {
  hears(message: ViewerHears): void;
  output(data: Buffer): void;
  /** The host is gone. */
  lost(): void;
}

/** Listener for what happens in the host. */
export interface HostEar {
  exited(id: string, exitCode: number | null, signal: string | null): void;
  /** The connection has ended, for whatever reason. */
  lost(): void;
}

/** One connection to the host of the terminals. */
export class HostClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<
    number,
    { resolve(result: never): void; reject(error: Error): void }
  >();
  readonly #viewers = new Map<number, ViewerEar>();
  #ear: HostEar | undefined;
  #lastRequest = 0;
  #lastViewer = 0;
  #isLost = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const read = createFrameReader({
      message: (message) => this.#take(message as FromHost),
      bytes: (kind, viewer, data) => {
        if (kind === FrameKind.output) this.#viewers.get(viewer)?.output(data);
      },
    });
    socket.on("data", (chunk: Buffer) => {
      try {
        read(chunk);
      } catch {
        // What it sends makes no sense, so nothing that follows would.
        socket.destroy();
      }
    });
    socket.on("error", () => {});
    socket.on("close", () => this.#lose());
  }

  /** Connects to a host. Rejects if none listens there. */
  static async connect(path: string): Promise<HostClient> {
    const socket = connect(path);
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new HostClient(socket);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  listen(ear: HostEar): void {
    this.#ear = ear;
    if (this.#isLost) ear.lost();
  }

  /** Asks the host for something. Rejects with {@link HostRefusal} or {@link HostLost}. */
  async request<Name extends keyof HostRequests>(
    name: Name,
    input: HostRequests[Name]["input"],
  ): Promise<HostRequests[Name]["result"]> {
    if (this.#isLost) throw new HostLost("The host of the terminals is gone.");
    const id = ++this.#lastRequest;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ request: name, id, input });
    });
  }

  /** Attaches a viewer to a terminal. What it gets begins with the current screen. */
  async attach(id: string, ear: ViewerEar): Promise<AttachedViewer> {
    const viewer = ++this.#lastViewer;
    this.#viewers.set(viewer, ear);
    const attached: AttachedViewer = {
      says: (says) => this.#send({ viewer, says }),
      input: (data) => {
        if (this.#isLost) return;
        const frame = toBytesFrame(FrameKind.input, viewer, [data]);
        writeFrame(this.#socket, frame);
      },
      leave: () => {
        if (this.#viewers.delete(viewer)) this.#send({ viewer, left: true });
      },
    };
    try {
      await this.request("attach", { id, viewer });
    } catch (error) {
      this.#viewers.delete(viewer);
      throw error;
    }
    return attached;
  }

  /** Ends the connection. The host and its programs continue to run. */
  close(): void {
    this.#ear = undefined;
    this.#socket.destroy();
    this.#lose();
  }

  #send(message: FromDaemon): void {
    if (!this.#isLost) this.#socket.write(toMessageFrame(message));
  }

  #take(message: FromHost): void {
    if ("answer" in message) {
      const waiting = this.#waiting.get(message.answer);
      this.#waiting.delete(message.answer);
      if ("failed" in message)
        waiting?.reject(
          new HostRefusal(message.failed.code, message.failed.message),
        );
      else waiting?.resolve(message.result as never);
    } else if ("viewer" in message) {
      this.#viewers.get(message.viewer)?.hears(message.hears);
    } else {
      this.#ear?.exited(message.exited, message.exitCode, message.signal);
    }
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const lost = new HostLost("The host of the terminals is gone.");
    for (const { reject } of this.#waiting.values()) reject(lost);
    this.#waiting.clear();
    const viewers = [...this.#viewers.values()];
    this.#viewers.clear();
    for (const viewer of viewers) viewer.lost();
    this.#ear?.lost();
  }
}

/** The way back of one who looks at a terminal. */
export interface AttachedViewer {
  says(message: ViewerSays): void;
  input(data: Uint8Array): void;
  leave(): void;
}
