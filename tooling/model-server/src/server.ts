import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { playAnswer } from "./answerer.ts";
import { lastResult } from "./conversation.ts";
import { Gates } from "./gates.ts";
import { toRecord, type Json } from "./json.ts";
import { planAnswer, type Plan } from "./plan.ts";
import { Reply, sendJson } from "./reply.ts";
import { RequestLog, type ModelRequest } from "./request-log.ts";
import { anthropicMessages } from "./wires/anthropic-messages.ts";
import { gemini, geminiPath } from "./wires/gemini.ts";
import { openaiChat } from "./wires/openai-chat.ts";
import { openaiResponses } from "./wires/openai-responses.ts";
import type { Wire } from "./wires/wire.ts";

/** A running model server. */
export interface ModelServer {
  /** `http://127.0.0.1:<port>`. Clients that want it get `/v1` appended. */
  readonly url: string;
  /** Every request for an answer, in order of arrival. They change while they are answered. */
  readonly requests: readonly ModelRequest[];
  /**
   * Waits for the first request, past or to come, that fits: one that came, waits at a gate, was answered, lost its
   * client. Rejects after `timeoutMs` (10 s unless said).
   */
  waitFor(
    fits: (request: ModelRequest) => boolean,
    timeoutMs?: number,
  ): Promise<ModelRequest>;
  /** Opens a gate for all who wait there and all who come. */
  openGate(name: string): void;
  /** Ends it, with every connection. */
  close(): Promise<void>;
}

const WIRES: Readonly<Record<string, Wire>> = {
  "/chat/completions": openaiChat,
  "/messages": anthropicMessages,
  "/responses": openaiResponses,
};

/** Starts a model server on loopback, on a free port unless one is given. */
export async function startModelServer({
  port = 0,
}: { port?: number } = {}): Promise<ModelServer> {
  const log = new RequestLog();
  const gates = new Gates();
  const attempts = new Map<string, number>();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      // The author of a test reads this in the CLI's own message.
      if (response.headersSent) response.destroy();
      else
        sendJson(response, 400, {
          error: {
            message: `model server: ${error.message}`,
            type: "invalid_request_error",
          },
        });
    });
  });

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const path = new URL(
      request.url ?? "/",
      "http://localhost",
    ).pathname.replace(/^\/v1(?=\/)/, "");
    const route = request.method === "POST" ? routeOf(path) : undefined;
    if (!route) return answerOther(path, request, response);
    const { wire, named, counts } = route;
    const conversation = wire.read({ ...(await readBody(request)), ...named });
    const plan = planAnswer(conversation);
    if (counts)
      return sendJson(response, 200, {
        input_tokens: plan.usage.input,
        totalTokens: plan.usage.input,
      });

    const entry = toEntry(wire, plan, keyOf(request), conversation);
    const changed = () => log.changed();
    const reply = new Reply(
      response,
      wire,
      { model: conversation.model, usage: plan.usage },
      entry,
      changed,
    );
    log.add(entry);
    const attempt = () => {
      const key = JSON.stringify([
        plan.prompt,
        plan.step,
        conversation.turns.length,
      ]);
      const count = (attempts.get(key) ?? 0) + 1;
      attempts.set(key, count);
      return count;
    };
    await playAnswer(plan, {
      conversation,
      request: entry,
      reply,
      gates,
      attempt,
      changed,
    });
  }

  await listen(server, port);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: log.entries,
    waitFor: (fits, timeoutMs = 10_000) =>
      log.find(fits, AbortSignal.timeout(timeoutMs)),
    openGate: (name) => gates.open(name),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

/** The protocol of a path, what the path says beside the body, and whether tokens are to be counted only. */
function routeOf(
  path: string,
): { wire: Wire; named: Json; counts: boolean } | undefined {
  const asked = geminiPath(path);
  if (asked) {
    const { model, stream, counts } = asked;
    return { wire: gemini, named: { model, stream }, counts };
  }
  const wire = WIRES[path.replace(/\/count_tokens$/, "")];
  return wire && { wire, named: {}, counts: path.endsWith("/count_tokens") };
}

/** CLIs look whether the server is there, and which models it has. */
function answerOther(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const reads = request.method === "GET" || request.method === "HEAD";
  if (reads && path === "/models") {
    const data = ["model-1", "model-2"].map((id) => ({
      id,
      object: "model",
      type: "model",
      display_name: id,
    }));
    return sendJson(response, 200, { object: "list", data, has_more: false });
  }
  if (reads && path === "/") return sendJson(response, 200, { ok: true });
  sendJson(response, 404, {
    error: {
      message: `model server: no ${request.method} ${path}`,
      type: "not_found_error",
    },
  });
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return toRecord(JSON.parse(Buffer.concat(chunks).toString("utf8")));
}

function keyOf({ headers }: IncomingMessage): string {
  const bearer = headers.authorization?.replace(/^Bearer /i, "");
  return (
    bearer ?? String(headers["x-api-key"] ?? headers["x-goog-api-key"] ?? "")
  );
}

function toEntry(
  wire: Wire,
  plan: Plan,
  key: string,
  conversation: ReturnType<Wire["read"]>,
): ModelRequest {
  return {
    wire: wire.name,
    model: conversation.model,
    stream: conversation.stream,
    key,
    prompt: plan.prompt,
    system: conversation.system,
    side: plan.side,
    tools: conversation.tools.map(({ name }) => name),
    toolResult: lastResult(conversation),
    step: plan.step,
    outcome: "pending",
    gate: undefined,
    text: "",
    calls: [],
    usage: plan.usage,
    status: 0,
  };
}
