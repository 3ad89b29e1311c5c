import { connect } from "node:net";

/** Answers that took longer were held up by something else. */
const KEPT_PART = 0.9;

/**
 * Sends requests one after the other on one connection, in turns and in random order within each turn, so that whatever
 * the machine does beside falls on all alike. Gives the milliseconds of each kind.
 */
export async function timeInTurns(
  port: number,
  requests: readonly string[],
  samples: number,
): Promise<number[][]> {
  const times: number[][] = requests.map(() => []);
  let connection = await openTimed(port);
  for (let n = 0; n < samples; n++) {
    const first = Math.random() < 0.5 ? 0 : 1;
    for (const index of [first, 1 - first]) {
      const start = performance.now();
      const { isOpen } = await connection.exchange(requests[index]!);
      times[index]!.push(performance.now() - start);
      if (!isOpen) connection = await openTimed(port);
    }
  }
  connection.close();
  return times;
}

/** Welch's t for the means of two samples, without their slowest tenth. */
export function welch(
  first: readonly number[],
  second: readonly number[],
): number {
  const [a, b] = [summarize(first), summarize(second)];
  return (
    (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count)
  );
}

function summarize(values: readonly number[]): {
  count: number;
  mean: number;
  variance: number;
} {
  const kept = [...values]
    .sort((a, b) => a - b)
    .slice(0, Math.floor(values.length * KEPT_PART));
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  const squares = kept.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count: kept.length, mean, variance: squares / (kept.length - 1) };
}

/** A connection for one request after the other, with next to nothing of its own in the time. */
export interface TimedConnection {
  /** Sends a request and waits for its answer, which may be the last one. */
  exchange(request: string): Promise<{ status: number; isOpen: boolean }>;
  close(): void;
}

/** Connects to a daemon. */
export async function openTimed(port: number): Promise<TimedConnection> {
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  await new Promise<void>((resolve, reject) =>
    socket.once("connect", resolve).once("error", reject),
  );
  return {
    close: () => socket.destroy(),
    exchange: (request) =>
      new Promise((resolve, reject) => {
        let text = "";
        const take = (data: Buffer) => {
          text += data.toString("latin1");
          const head = text.indexOf("\r\n\r\n");
          const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
          if (head < 0 || text.length < head + 4 + Number(length)) return;
          socket.off("data", take).off("error", reject);
          resolve({
            status: Number(text.split(" ")[1]),
            isOpen: !/connection: close/i.test(text.slice(0, head)),
          });
        };
        socket.on("data", take).once("error", reject);
        socket.write(request);
      }),
  };
}
