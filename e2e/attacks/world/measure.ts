import { randomUUID } from "node:crypto";
import {
  openRaw,
  renderRequest,
} from "../../../kernel/core/test/support/raw-http.ts";
import type {
  RawAnswer,
  RawRequest,
} from "../../../kernel/core/test/support/raw-http.ts";
import type { World } from "./world.ts";

/** What the target reports about the inside of the daemon. */
export interface Insight {
  polluted: unknown;
  /** Time that the daemon's process has computed, in microseconds. */
  cpuUs: number;
  /** Bytes that were read of each tagged connection. */
  read: Record<string, number>;
}

/** Looks inside. */
export async function readInsight({ api }: World): Promise<Insight> {
  return (await api.call<Insight>("GET", "/api/target/insight"))
    .body as unknown as Insight;
}

const BLOCK = Buffer.alloc(64 * 1024, "x");

/** Sends a request whose body never ends, and gives the answer and how many bytes of it the daemon read. */
export async function measureRead(
  world: World,
  request: RawRequest,
  block: string | Uint8Array = BLOCK,
): Promise<{ answer: RawAnswer; read: number }> {
  const tag = randomUUID();
  const connection = await openRaw(world.port);
  const { socket } = connection;
  connection.write(
    renderRequest({
      ...request,
      headers: [...(request.headers ?? []), ["x-attack-tag", tag]],
    }),
  );
  const pump = () => {
    if (socket.writable) socket.write(block, () => setImmediate(pump));
  };
  pump();
  const answer = await connection.answer();
  await connection.closed;
  const { read } = await readInsight(world);
  return { answer, read: read[tag] ?? Number.NaN };
}
