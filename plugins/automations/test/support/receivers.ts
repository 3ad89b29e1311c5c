import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a receiver got. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  text: string;
}

/** A target for notifications on this machine, which answers as the test says. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly requests: Received[];
  /** Resolves once there were `count` requests. */
  got(count: number): Promise<Received>;
}

type Answer = (
  response: ServerResponse,
  request: Received,
  index: number,
) => void;

export async function startReceiver(
  answer: Answer = (response) => response.end("ok"),
): Promise<Receiver> {
  const requests: Received[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const received = { method, path, headers, text };
      const index = requests.push(received) - 1;
      for (const look of waiting.splice(0)) look();
      answer(response, received, index);
    });
  });
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve()),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/services/T0/B0/c2VjcmV0`,
    requests,
    async got(count) {
      while (requests.length < count)
        await new Promise<void>((resolve) => waiting.push(resolve));
      return requests[count - 1]!;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A message as receivers read it. */
export interface Message {
  text: string;
  blocks: { type: string; text: { type: string; text: string } }[];
}

type Shape = (request: Received) => string | undefined;

/** What Slack's reference says of an incoming webhook and of section blocks. */
const slack: Shape = (request) => {
  const { text, blocks, ...rest } = JSON.parse(request.text) as Message;
  if (Object.keys(rest).length > 0) return "invalid_payload";
  if (typeof text !== "string" || text === "") return "no_text";
  if (text.length > 40_000) return "msg_too_long";
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.length > 50)
    return "invalid_blocks";
  for (const block of blocks) {
    if (Object.keys(block).sort().join() !== "text,type")
      return "invalid_blocks";
    const { type, text: body } = block;
    const fits = body.text.length >= 1 && body.text.length <= 3000;
    if (type !== "section" || body.type !== "mrkdwn" || !fits)
      return "invalid_blocks";
  }
  return undefined;
};

/** Mattermost knows no blocks and wants a text that fits into a post. */
const mattermost: Shape = (request) => {
  const { text } = JSON.parse(request.text) as Message;
  if (typeof text !== "string" || text.trim() === "")
    return "No text specified.";
  return [...text].length > 16_383 ? "Text too long" : undefined;
};

/** Teams wants a text or a summary, at most 28 KB in all. */
const teams: Shape = (request) => {
  const { text } = JSON.parse(request.text) as Message;
  if (typeof text !== "string" || text === "")
    return "Summary or Text is required.";
  return Buffer.byteLength(request.text) > 28 * 1024
    ? "Payload is too large"
    : undefined;
};

const SHAPES = { slack, mattermost, teams };
const AGREED = { slack: "ok", mattermost: "ok", teams: "1" };

/** A receiver that takes what a chat takes, and nothing else. */
export function startChat(kind: keyof typeof SHAPES): Promise<Receiver> {
  return startReceiver((response, request) => {
    const isJson = /^application\/json/.test(
      request.headers["content-type"] ?? "",
    );
    const problem =
      request.method === "POST" && isJson
        ? SHAPES[kind](request)
        : "invalid_request";
    response.statusCode = problem === undefined ? 200 : 400;
    response.end(problem ?? AGREED[kind]);
  });
}
