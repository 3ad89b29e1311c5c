import { Agent, request } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { readToken } from "./daemon.ts";
import type { Daemon } from "./daemon.ts";

/** One client of the event stream. */
export interface StreamClient {
  /** Numbers of the events that came. */
  readonly ids: number[];
  /** How long each took from its moment to its arrival, in milliseconds. */
  readonly delays: number[];
  readonly response: IncomingMessage;
  close(): void;
}

/** Opens the event stream `count` times, each on a connection of its own. */
export async function openStreamClients(
  daemon: Daemon,
  count: number,
): Promise<StreamClient[]> {
  const token = await readToken(daemon.home);
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  return Promise.all(
    Array.from({ length: count }, () => openStreamClient(daemon, token, agent)),
  );
}

async function openStreamClient(
  daemon: Daemon,
  token: string,
  agent: Agent,
): Promise<StreamClient> {
  const message = request(`${daemon.base}/api/events?types=agents.*`, {
    agent,
    headers: { authorization: `Bearer ${token}` },
  });
  const response = await answerOf(message);
  const ids: number[] = [];
  const delays: number[] = [];
  let rest = "";
  response.setEncoding("utf8").on("data", (text: string) => {
    const now = Date.now();
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const id = /^id: (\d+)$/m.exec(block)?.[1];
      if (id === undefined) continue;
      ids.push(Number(id));
      const { at } = JSON.parse(/^data: (.*)$/m.exec(block)![1]!) as {
        at: string;
      };
      delays.push(now - Date.parse(at));
    }
  });
  // The daemon ends it at its stop; that is no fault.
  response.on("error", () => {});
  return { ids, delays, response, close: () => message.destroy() };
}

function answerOf(message: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    message.once("error", reject).end();
    message.once("response", (response) => {
      message.on("error", () => {});
      if (response.statusCode === 200) return resolve(response);
      reject(new Error(`The event stream answered ${response.statusCode}.`));
    });
  });
}
