import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { percentile99 } from "../measure/statistics.ts";

/** What its one argument says, as JSON. */
export interface StreamReaders {
  base: string;
  cookie: string;
  streams: number;
  /** Number of events that each stream is to bring. */
  events: number;
}

/** What it prints at the end. */
export interface StreamFigures {
  /** From the request that made an event until a client had it, in ms. */
  p99: number;
  arrived: number;
}

/** Streams that are opened at once, less than a listener lets wait. */
const AT_ONCE = 100;
/** Events that do not come by then are lost. */
const LATEST_MS = 15_000;

const { base, cookie, streams, events } = JSON.parse(
  process.argv[2] ?? "",
) as StreamReaders;
const { host, hostname, port } = new URL(base);
const times: number[] = [];
let ended: () => void;
const all = new Promise<void>((resolve) => (ended = resolve));

/** Opens a stream, and resolves when it follows. */
async function follow(): Promise<Socket> {
  const socket = connect(Number(port), hostname);
  socket.setEncoding("latin1");
  await once(socket, "connect");
  socket.write(
    `GET /api/events?types=bench.* HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`,
  );
  let rest = "";
  const follows = new Promise<void>((resolve, reject) => {
    socket.on("data", (text: string) => {
      rest += text;
      if (rest.includes("event: hello")) resolve();
      const end = rest.lastIndexOf("\n\n");
      if (end < 0) return;
      take(rest.slice(0, end));
      rest = rest.slice(end);
    });
    socket.once("close", () => reject(new Error("A stream was closed.")));
  });
  await follows;
  return socket;
}

function take(text: string): void {
  const now = Date.now();
  for (const [, title] of text.matchAll(/"title":"(\d+)"/g))
    times.push(now - Number(title));
  if (times.length >= streams * events) ended();
}

const sockets: Socket[] = [];
while (sockets.length < streams)
  sockets.push(
    ...(await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, streams - sockets.length) }, () =>
        follow(),
      ),
    )),
  );
console.log("open");
// As soon as the last of them has been sent.
await once(process, "SIGUSR2");
const late = setTimeout(() => ended(), LATEST_MS);
await all;
clearTimeout(late);
const figures: StreamFigures = {
  p99: percentile99(times),
  arrived: times.length,
};
console.log(JSON.stringify(figures));
for (const socket of sockets) socket.destroy();
