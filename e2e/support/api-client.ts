import { request } from "node:http";
import { readToken } from "./daemon.ts";
import type { Daemon } from "./daemon.ts";

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

/** Makes a client of a daemon. Plain `node:http`, which sends nothing but what it is told to. */
export async function createApiClient(daemon: Daemon): Promise<ApiClient> {
  const token = await readToken(daemon.home);
  return {
    call: (method, path, body, headers) =>
      send(daemon.base, method, path, body, {
        authorization: `Bearer ${token}`,
        ...headers,
      }),
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
        headers: {
          ...(payload === undefined ? {} : { "content-type": type }),
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
