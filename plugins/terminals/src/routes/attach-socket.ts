import { isIdentifier } from "@gantry/plugin";
import type { SocketDefinition, SocketPeer } from "@gantry/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { AttachedViewer } from "../hosting/host-client.ts";
import type { HostLink } from "../hosting/host-link.ts";
import type { Terminals } from "../terminals/terminals.ts";

const COLUMNS = { least: 2, most: 1000 };
const ROWS = { least: 1, most: 1000 };
/** Closes a socket whose terminal is somewhere else now: the client is to connect again. */
const RESTARTED = 1012;
const NORMAL = 1000;

const says = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("resize"),
    cols: z.number().int().min(COLUMNS.least).max(COLUMNS.most),
    rows: z.number().int().min(ROWS.least).max(ROWS.most),
  }),
  z.strictObject({
    type: z.literal("ack"),
    bytes: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  }),
  z.strictObject({ type: z.literal("owner") }),
]);

/** Sockets through which people look at terminals and type into them. */
export interface AttachSockets {
  definition: SocketDefinition;
  /** Tells those who look at a terminal that it was closed. */
  closed(id: string): void;
}

/** Connects sockets with terminals: bytes are the terminal's own, text is about it. */
export function createAttachSockets(
  terminals: Terminals,
  link: HostLink,
): AttachSockets {
  const viewers = new Map<SocketPeer, Promise<AttachedViewer | undefined>>();

  async function attach(peer: SocketPeer): Promise<AttachedViewer | undefined> {
    const { id = "" } = peer.params;
    const tell = (message: object) => peer.send(JSON.stringify(message));
    const { state, exitCode, signal } = await terminals.get(id);
    const client = await link.find();
    try {
      if (!client) throw new Error("No host");
      return await client.attach(id, {
        message: tell,
        output: (data) => peer.send(data),
        lost: () => peer.close(RESTARTED, "The terminal is gone"),
      });
    } catch {
      // Its host is gone, and its screen with it.
      if (state === "running") {
        peer.close(RESTARTED, "The terminal cannot be reached");
      } else {
        tell({ type: "exit", exitCode, signal });
      }
      return undefined;
    }
  }

  return {
    closed(id) {
      for (const peer of viewers.keys()) {
        if (peer.params.id !== id) continue;
        peer.send(JSON.stringify({ type: "closed" }));
        peer.close(NORMAL, "The terminal was closed");
      }
    },
    definition: {
      path: "/api/terminals/{id}/attach",
      summary: "Look at a terminal and type into it",
      access: "session",
      async admit({ params: { id = "" } }) {
        if (!isIdentifier("trm", id) || !(await terminals.has(id)))
          throw errors.TERMINAL_NOT_FOUND({ id: id.slice(0, 64) });
      },
      async open(peer) {
        const viewer = attach(peer);
        viewers.set(peer, viewer);
        await viewer;
      },
      async message(peer, data) {
        // What comes before the terminal is there waits for it, in order.
        const viewer = await viewers.get(peer);
        if (!viewer) return;
        if (typeof data !== "string") return viewer.input(data);
        const message = says.safeParse(parse(data));
        if (message.success) return viewer.says(message.data);
        const [issue] = message.error.issues;
        peer.send(
          JSON.stringify({
            type: "error",
            code: "TERMINAL_MESSAGE",
            message: `Not a message of this socket: ${issue?.path.join(".") || "the whole"}: ${issue?.message ?? "unknown"}. Sizes go from ${COLUMNS.least} × ${ROWS.least} to ${COLUMNS.most} × ${ROWS.most}.`,
          }),
        );
      },
      async close(peer) {
        const viewer = viewers.get(peer);
        viewers.delete(peer);
        (await viewer)?.leave();
      },
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
