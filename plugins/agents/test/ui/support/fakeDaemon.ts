import { vi } from "vitest";

/** A request of the page. */
export interface SeenRequest {
  method: string;
  path: string;
  body: unknown;
}

type Answer = (request: SeenRequest) => unknown;

/** A refusal that a route answers with, as the daemon writes it. */
export class Refusal {
  readonly status: number;
  readonly problem: Record<string, unknown>;

  constructor(status: number, code: string, members: object = {}) {
    this.status = status;
    this.problem = { code, title: code, detail: `${code} is why.`, ...members };
  }
}

/** Answers the requests of a page. An address without an answer is refused with 404. */
export function startFakeDaemon(routes: Record<string, Answer>) {
  const requests: SeenRequest[] = [];
  vi.stubGlobal("fetch", async (input: unknown, options: RequestInit = {}) => {
    const address = input instanceof Request ? input.url : String(input);
    const url = new URL(address, "http://gantry.localhost");
    const { method = "GET", body } = options;
    const text = typeof body === "string" ? body : undefined;
    const request = {
      method,
      path: url.pathname + url.search,
      body: text === undefined ? undefined : (JSON.parse(text) as unknown),
    };
    requests.push(request);
    const answer = routes[`${method} ${url.pathname}`];
    const found = answer
      ? await answer(request)
      : new Refusal(404, "ROUTE_NOT_FOUND");
    options.signal?.throwIfAborted();
    return found instanceof Refusal
      ? Response.json(found.problem, { status: found.status })
      : Response.json(found);
  });
  return {
    requests,
    routes,
    /** The bodies of requests that change something, in their order. */
    bodiesTo: (path: string) =>
      requests
        .filter((request) => request.method !== "GET" && request.path === path)
        .map(({ body }) => body),
  };
}
