import { connect } from "node:net";

/** Sends a head and gives the status of the answer. */
export function sendRaw(
  url: string,
  lines: readonly string[],
): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    });
    socket.once("error", reject).once("data", (data) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString("latin1"))?.[1]));
    });
  });
}

/** Sends chunks without end until there is an answer. */
export function endlessUpload(
  url: string,
  path: string,
  secret: string,
): Promise<number> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${secret}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      const chunk = `1000\r\n${"x".repeat(4096)}\r\n`;
      const send = () => {
        if (socket.writable) socket.write(chunk, () => setImmediate(send));
      };
      send();
    });
    // The daemon closes the socket while more is on its way.
    socket
      .on("error", () => undefined)
      .once("data", (data) => {
        socket.destroy();
        resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString("latin1"))?.[1]));
      });
  });
}
