// Sends a GET over and over on connections that are kept, and prints the result as JSON. The request is written as bytes
// and of an answer only the status and the length are read, so that little time goes into the client.
// Argument: a KeepAliveLoad as JSON.
import { connect } from "node:net";
import { createAnswerReader } from "../measure/answer-reader.ts";
import type {
  KeepAliveLoad,
  KeepAliveResult,
} from "../measure/keep-alive-load.ts";
import { percentile99 } from "../measure/statistics.ts";

const { url, headers, connections, seconds } = JSON.parse(
  process.argv[2] ?? "{}",
) as KeepAliveLoad;
const { hostname, port, host, pathname, search } = new URL(url);
const request = Buffer.from(
  [
    `GET ${pathname}${search} HTTP/1.1`,
    ...Object.entries({ host, ...headers }).map((pair) => pair.join(": ")),
    "\r\n",
  ].join("\r\n"),
);

const times: number[] = [];
const began = performance.now();
const end = began + seconds * 1000;

/** Sends one request after the other, until an answer comes after the end. */
function runConnection(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    const reader = createAnswerReader();
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.once("connect", send);
    socket.once("error", reject);
    socket.once("close", () =>
      reject(new Error(`${url} closed a connection.`)),
    );
    socket.on("data", (bytes) => {
      try {
        if (!reader.add(bytes)) return;
      } catch (error) {
        socket.destroy();
        return reject(error as Error);
      }
      const now = performance.now();
      times.push(now - sentAt);
      if (now < end) return send();
      resolve();
      socket.end();
    });
  });
}

await Promise.all(Array.from({ length: connections }, runConnection));
const result: KeepAliveResult = {
  count: times.length,
  perSecond: times.length / ((performance.now() - began) / 1000),
  p99: percentile99(times),
};
console.log(JSON.stringify(result));
