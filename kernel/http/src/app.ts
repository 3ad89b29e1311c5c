import { randomBytes } from "node:crypto";
import { H3, removeRoute } from "h3";
import type { H3Event } from "h3";
import { NodeRequest, sendNodeResponse } from "srvx/node";
import type { Log } from "@gantry/plugin";
import { answerByHandler } from "./answer-by-handler.ts";
import type { HandlerHost } from "./answer-by-handler.ts";
import { answerProblem } from "./answer-problem.ts";
import { nodeSides, requestOf } from "./event-sides.ts";
import type { NodeSides } from "./event-sides.ts";
import type { Gate, Guarded } from "./gate.ts";
import { HttpRequest } from "./http-request.ts";
import { operate, refusal } from "./operation.ts";
import type { OperationHost } from "./operation.ts";
import { toPattern } from "./path-pattern.ts";
import type { Handlers } from "./listener.ts";
import type { Peers } from "./peer-address.ts";
import { createRouteTable, findRecord, firstRecord } from "./route-table.ts";
import type { HandlerRecord, PathEntry, RouteTable } from "./route-table.ts";
import type { SocketServer, Upgrade } from "./sockets.ts";

/** Dependencies of {@link createApp}. */
export interface AppHost extends OperationHost, HandlerHost {
  gate: Gate;
  peers: Peers;
  log: Log;
  /** Called with each request that is refused, and the code of the error. */
  onRefusal(request: HttpRequest, code: string): void;
  sockets: SocketServer;
}

/** The HTTP side of the kernel: one h3 app behind the gate. */
export interface App {
  table: RouteTable;
  readonly handlers: Handlers;
}

/** Makes the app. Routes may be added and removed while it serves. */
export function createApp(host: AppHost): App {
  const { log, onRefusal } = host;
  const nextRequestId = createRequestIds();
  const h3 = new H3({
    silent: true,
    onError(error, event) {
      const { handler } = entryOf(event) ?? {};
      // Errors of h3 are answers of the plugin's.
      if (handler && !error.unhandled) return undefined;
      answerProblem({ log, onRefusal, nextRequestId }, event, error);
      return HANDLED;
    },
  });
  /** What answers every address outside `/api` that is nothing else. */
  let pages: PathEntry | undefined;
  const table = createRouteTable({
    add(path, entry) {
      const handle = async (event: H3Event) => {
        const request = requestOf(event);
        const handler = handlerFor(entry, request, pages);
        if (handler?.owner.signal.aborted) refuseUnknown(event);
        if (handler) return await answerByHandler(host, handler, event);
        await operate(host, entry, event.url.pathname, request);
        return HANDLED;
      };
      if (path === ALL) {
        pages = entry;
        removeRoute(h3, "", ALL);
      }
      h3.all(toPattern(path), handle, { meta: { entry } });
    },
    remove(path) {
      removeRoute(h3, "", toPattern(path));
      if (path !== ALL) return;
      pages = undefined;
      h3.all(ALL, refuseUnknown);
    },
  });

  /** Every request passes it first, for whatever address. */
  function passGate(event: H3Event, next: () => unknown): unknown {
    const { req: message, res: response, upgrade } = nodeSides(event);
    const { params } = event.context;
    const requestId = nextRequestId();
    const { gate, peers } = host;
    const parts = { message, response, params, requestId, peers };
    const request = new HttpRequest(parts);
    event.context.request = request;
    if (upgrade) return openSocket(event, upgrade);
    const guarded = guardOf(entryOf(event), request, pages);
    request.caller = gate.pass(request, "request", guarded);
    return next();
  }

  async function openSocket(
    event: H3Event,
    upgrade: Upgrade,
  ): Promise<unknown> {
    const request = requestOf(event);
    const path = event.url.pathname;
    const entry = entryOf(event);
    // Only clients that made up their own address spell one otherwise than it is.
    const record = request.path === path ? entry?.socket : undefined;
    const access = record?.definition.access;
    const guarded = access && { access, servesHooks: false };
    request.caller = host.gate.pass(request, "upgrade", guarded);
    const refuse = () => refusal(host, path);
    if (!record || record.owner.signal.aborted) throw refuse();
    request.owner = record.owner;
    await host.sockets.open(record, request, upgrade, refuse);
    return HANDLED;
  }

  function refuseUnknown(event: H3Event): never {
    throw refusal(host, event.url.pathname);
  }

  const fetch = async (sides: NodeSides) =>
    h3.fetch(
      new NodeRequest(sides as ConstructorParameters<typeof NodeRequest>[0]),
    );

  h3.use(passGate);
  // An unknown operation must not be taken for a page: only a paired client learns that it is unknown.
  h3.all("/api/**", refuseUnknown);
  h3.all(ALL, refuseUnknown);
  return {
    table,
    handlers: {
      async request(req, res) {
        const answer = await fetch({ req, res });
        // An operation writes its answer itself, and a stream goes on writing.
        if (!res.headersSent && !res.destroyed)
          await sendNodeResponse(res, answer);
      },
      upgrade(req, socket, head) {
        void fetch({ req, upgrade: { socket, head } });
      },
    },
  };
}

/** The path of what answers where nothing else does. */
const ALL = "/**";

/** For h3: the answer has been written, there is nothing left to send. */
const HANDLED = Symbol.for("h3.handled");

/** What is registered at a request's address, and nothing where that is unknown. */
function entryOf(event: H3Event): PathEntry | undefined {
  return event.context.matchedRoute?.meta?.entry as PathEntry | undefined;
}

/** The handler of h3 that answers. `POST /pair` is an operation, `GET /pair` a page. */
function handlerFor(
  entry: PathEntry,
  request: HttpRequest,
  pages: PathEntry | undefined,
): HandlerRecord | undefined {
  const isPage =
    !entry.path.startsWith("/api/") &&
    request.isRead &&
    !findRecord(entry, request.method);
  return entry.handler ?? (isPage ? pages?.handler : undefined);
}

/** The access of a path decides also for a method that it does not have. */
function guardOf(
  entry: PathEntry | undefined,
  request: HttpRequest,
  pages: PathEntry | undefined,
): Guarded | undefined {
  if (!entry) return undefined;
  const handler = handlerFor(entry, request, pages);
  if (handler) return { access: handler.definition.access, servesHooks: false };
  const known = findRecord(entry, request.method) ?? firstRecord(entry);
  if (!known) return undefined;
  if (known.isPublic) return { access: "public", servesHooks: false };
  const { access, returns, isWebhook = false } = known.definition;
  const streams = returns === "event-stream";
  return { access, servesHooks: isWebhook, streams };
}

/** Ids of requests: unique in this run and the next, and cheap. */
function createRequestIds(): () => string {
  const run = randomBytes(6)
    .toString("base64url")
    .replace(/[-_]/g, "0")
    .toLowerCase();
  let count = 0;
  return () => `req_${run}${(++count).toString(36)}`;
}
