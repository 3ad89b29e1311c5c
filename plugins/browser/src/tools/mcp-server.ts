import type { Socket } from "node:net";
import type { Clock } from "@gantry/plugin";
import { FENCE_EXPLANATION } from "./page-fence.ts";
import type { ToolSession } from "./tool-session.ts";

/** Maximum size of a client's message; texts to type are far shorter. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Interval of progress notifications, for clients that time out calls without progress. */
const PROGRESS_INTERVAL_MS = 10_000;

/** Dependencies of {@link serveTools}. */
export interface ServeHost {
  clock: Pick<Clock, "after">;
  /** Calls back when the offered tools change. Returns a function that removes the listener. */
  onToolsChanged(listener: () => void): () => void;
}

/** Serves the tools of one session over the Model Context Protocol until the socket closes. */
export async function serveTools(
  socket: Socket,
  session: ToolSession,
  host: ServeHost,
): Promise<void> {
  // Loaded on demand: the library is large, and most daemons have no agent that may use the browser.
  const [{ McpServer }, { StdioServerTransport }, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/mcp.js"),
    import("@modelcontextprotocol/sdk/server/stdio.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  if (socket.destroyed) return session.close();
  const { server } = new McpServer(
    { name: "gantry-browser", version: "1.0.0" },
    { instructions: FENCE_EXPLANATION },
  );
  server.registerCapabilities({ tools: { listChanged: true } });
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: session.tools(),
  }));
  server.setRequestHandler(
    types.CallToolRequestSchema,
    async ({ params }, { signal, sendNotification }) => {
      const progressToken = params._meta?.progressToken;
      const stop = repeat(host.clock, PROGRESS_INTERVAL_MS, (progress) => {
        if (progressToken === undefined) return;
        const method = "notifications/progress";
        void sendNotification({ method, params: { progressToken, progress } });
      });
      try {
        const answer = await session.call(
          params.name,
          params.arguments,
          signal,
        );
        return { ...answer };
      } finally {
        stop();
      }
    },
  );
  const stopTelling = host.onToolsChanged(() => {
    void server.sendToolListChanged().catch(() => {
      // The client has disconnected.
    });
  });
  // Each message that does not fit into the socket's buffer adds a listener that waits for it to drain.
  socket.setMaxListeners(0);
  const transport = new StdioServerTransport(socket, socket, {
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  // A client that violates the protocol or sends too long a message is disconnected.
  server.onclose = () => socket.destroy();
  socket.once("close", () => {
    stopTelling();
    session.close();
    void server.close();
  });
  await server.connect(transport);
  socket.resume();
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
