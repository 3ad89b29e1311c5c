import { once } from "node:events";
import { connect } from "node:net";
import type { AgentsKernel } from "./agents-kernel.ts";

/** Sends a request and disconnects at once, as a browser that is closed does. */
export async function leaveAtOnce(
  { kernel }: AgentsKernel,
  path: string,
  body: object,
): Promise<void> {
  const { cookie } = await kernel.pairAs("leaving");
  const { host, hostname, port, origin } = new URL(kernel.url);
  const text = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.end(
    [
      `POST ${path} HTTP/1.1`,
      `Host: ${host}`,
      `Origin: ${origin}`,
      `Cookie: ${cookie}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(text)}`,
      "",
      text,
    ].join("\r\n"),
  );
  socket.resume();
  await once(socket, "close");
}
