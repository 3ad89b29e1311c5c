import { Agent, request } from "node:http";
import { readToken } from "./daemon.ts";
import type { Daemon } from "./daemon.ts";
import { findUndeclared, readDeclaredCodes } from "./declared-codes.ts";
import type { CodesDocument, DeclaredCodes } from "./declared-codes.ts";

/**
 * Gives an idle connection up well before the daemon does after 5 s: on a busy machine a request might else go out on one
 * that is closed in that moment.
 */
const connections = new Agent({ keepAlive: true, timeout: 2_000 });

/** An answer, read whole. */
export interface Answer<Body = Record<string, unknown>> {
  status: number;
  /** What JSON said, or else the text as it is. */
  body: Body;
}

/** Calls a daemon as a program of the user's does: by number, with the install token. */
export interface ApiClient {
  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object | string,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
}

/**
 * Makes a client of a daemon. Plain `node:http`, which adds no headers of its own.
 * It throws if an operation answers with a code that the daemon's own document does not list for it.
 */
export async function createApiClient(daemon: Daemon): Promise<ApiClient> {
  const authorization = `Bearer ${await readToken(daemon.home)}`;
  let codes: DeclaredCodes | undefined;

  async function readCodes(): Promise<DeclaredCodes> {
    const path = "/api/openapi.json";
    const headers = { authorization };
    const answer = await send(daemon.base, "GET", path, undefined, headers);
    return readDeclaredCodes(answer.body as unknown as CodesDocument);
  }

  async function checkCode(
    method: string,
    target: string,
    code: string,
  ): Promise<void> {
    // Plugins come and go, and their operations with them.
    if (!codes?.at(method, target)) codes = await readCodes();
    const fault = findUndeclared(codes, { method, target, code });
    if (fault) throw new Error(fault);
  }

  return {
    async call<Body>(
      method: string,
      path: string,
      body?: object | string,
      headers?: Record<string, string>,
    ) {
      const own = { authorization, ...headers };
      const answer = await send<Body>(daemon.base, method, path, body, own);
      const { code } = answer.body as { code?: unknown };
      if (answer.status >= 400 && typeof code === "string")
        await checkCode(method, path, code);
      return answer;
    },
  };
}

/** Sends one request without any credential but what its headers carry. */
export function send<Body = Record<string, unknown>>(
  base: string,
  method: string,
  path: string,
  body?: object | string,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const payload = typeof body === "object" ? JSON.stringify(body) : body;
  const type = typeof body === "object" ? "application/json" : "text/plain";
  return new Promise((resolve, reject) => {
    const message = request(
      new URL(path, base),
      {
        method,
        agent: connections,
        headers: {
          // Of a DELETE, Node sends a body without saying that there is one.
          ...(payload === undefined
            ? {}
            : {
                "content-type": type,
                "content-length": Buffer.byteLength(payload),
              }),
          ...headers,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.once("error", reject);
        response.once("end", () => {
          try {
            const body = toBody(text, response.headers["content-type"]) as Body;
            resolve({ status: response.statusCode ?? 0, body });
          } catch (error) {
            reject(new Error(`${method} ${path}: ${text}`, { cause: error }));
          }
        });
      },
    );
    message.once("error", reject).end(payload);
  });
}

const JSON_TYPE = /^application\/(?:\w+\+)?json\b/;

function toBody(text: string, type = ""): unknown {
  if (text === "") return {};
  return JSON_TYPE.test(type) ? JSON.parse(text) : text;
}
