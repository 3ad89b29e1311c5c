import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import type { Clock } from "@gantry/plugin";
import { FENCE_EXPLANATION } from "./page-fence.ts";
import { ThrottledInput } from "./throttled-input.ts";
import type { ToolSession } from "./tool-session.ts";

/** Maximum size of a client's message; texts to type are far shorter. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Interval of progress notifications, for clients that time out calls without progress. */
const PROGRESS_INTERVAL_MS = 10_000;

/** A client that has not read announced tools by then does not do so: Codex ignores the notification. */
const LIST_TIMEOUT_MS = 10_000;

/** Dependencies of {@link serveTools}. */
export interface ServeHost {
  clock: Pick<Clock, "after" | "monotonic">;
  /** Calls back when the offered tools change. Returns a function that removes the listener. */
  onToolsChanged(listener: () => void): () => void;
  /** Called when tools were announced that the client did not read. */
  onToolsMissed(): void;
}

/** Serves the tools of one session over the Model Context Protocol until the socket closes. */
export async function serveTools(
  socket: Socket,
  session: ToolSession,
  { clock, onToolsChanged, onToolsMissed }: ServeHost,
): Promise<void> {
  // Loaded on demand: the library is large, and most daemons have no agent that may use the browser.
  const [{ Server }, { StdioServerTransport }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  if (socket.destroyed) return session.close();
  const server = new Server(
    { name: "gantry-browser", version: "1.0.0" },
    {
      capabilities: { tools: { listChanged: true } },
      instructions: FENCE_EXPLANATION,
    },
  );
  /** Names of the tools that the client knows; `undefined` before it has read any. */
  let known: ReadonlySet<string> | undefined;
  server.setRequestHandler("tools/list", () => {
    const tools = session.tools();
    known = new Set(tools.map(({ name }) => name));
    return { tools };
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const progressToken = params._meta?.progressToken;
    const stop = repeat(clock, PROGRESS_INTERVAL_MS, (progress) => {
      if (progressToken === undefined) return;
      const method = "notifications/progress";
      void mcpReq.notify({ method, params: { progressToken, progress } });
    });
    try {
      const { name, arguments: input } = params;
      return { ...(await session.call(name, input, mcpReq.signal)) };
    } finally {
      stop();
    }
  });
  let stopWaiting = () => {};
  const stopNotifying = onToolsChanged(() => {
    void server.sendToolListChanged().catch(() => {
      // The client has disconnected.
    });
    stopWaiting();
    stopWaiting = clock.after(LIST_TIMEOUT_MS, () => {
      if (known && session.tools().some(({ name }) => !known?.has(name)))
        onToolsMissed();
    });
  });
  // Each message that does not fit into the socket's buffer adds a listener that waits for it to drain.
  socket.setMaxListeners(0);
  const input = new ThrottledInput(socket, clock);
  const transport = new StdioServerTransport(input, socket, {
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  // A client that violates the protocol or sends too long a message is disconnected.
  server.onclose = () => socket.destroy();
  socket.once("close", () => {
    stopNotifying();
    stopWaiting();
    session.close();
    void server.close();
  });
  await server.connect(transport);
  pipeline(socket, input, () => socket.destroy());
}

function repeat(
  clock: Pick<Clock, "after">,
  ms: number,
  tick: (count: number) => void,
): () => void {
  let count = 0;
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(ms, () => {
      tick((count += 1));
      next();
    });
  };
  next();
  return () => cancel();
}
