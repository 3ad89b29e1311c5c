import { randomBytes } from "node:crypto";
import { H3, removeRoute } from "h3";
import type { H3Event } from "h3";
import { NodeRequest, sendNodeResponse } from "srvx/node";
import { answerByHandler } from "./answer-by-handler.ts";
import type { HandlerHost } from "./answer-by-handler.ts";
import { answerProblem } from "./problem.ts";
import type { ProblemHost } from "./problem.ts";
import type { Gate, Guarded } from "./gate.ts";
import { HttpRequest, nodeSides, requestOf } from "./http-request.ts";
import type { NodeSides, Upgrade } from "./http-request.ts";
import { findRecord, firstRecord, operate, refusal } from "./operation.ts";
import type { OperationHost } from "./operation.ts";
import type { Handlers } from "./listener.ts";
import type { Peers } from "./peer-address.ts";
import { createRouteTable, toPattern } from "./route-table.ts";
import type { HandlerRecord, PathEntry } from "./route-table.ts";
import type { SocketServer } from "./sockets.ts";

/** Dependencies of {@link createApp}. */
export interface AppHost extends OperationHost, HandlerHost, ProblemHost {
  gate: Gate;
  peers: Peers;
  sockets: SocketServer;
}

/** The path of what answers where nothing else does. */
const ALL = "/**";

/** For h3: the answer has been written, there is nothing left to send. */
const HANDLED = Symbol.for("h3.handled");

/** Pages and scripts without any data, and the operations that they need before the browser is paired. */
const PUBLIC: Guarded = { access: "public" };

/** The HTTP side of the kernel: one h3 app behind the gate. */
export type App = ReturnType<typeof createApp>;

/** Makes the app. Routes may be added and removed while it serves. */
export function createApp(host: AppHost) {
  const nextRequestId = createRequestIds();
  const h3 = new H3({
    silent: true,
    onError(error, event) {
      // Errors of h3 are answers of the plugin's.
      if (entryOf(event)?.handler && !error.unhandled) return undefined;
      answerProblem(host, event, error, nextRequestId);
      return HANDLED;
    },
  });
  h3.use(passGate);
  const { table, entryOf, handlerAt } = createAddresses(h3, answer);

  /** Every request passes it first, for whatever address. */
  function passGate(event: H3Event, next: () => unknown): unknown {
    const { params } = event.context;
    const requestId = nextRequestId();
    const sides = nodeSides(event);
    const request = new HttpRequest(sides, host.peers, requestId, params);
    event.context.request = request;
    if (sides.upgrade) return openSocket(event, sides.upgrade);
    const entry = entryOf(event);
    const guarded = entry && guardOf(entry, handlerAt(entry, request), request);
    request.caller = host.gate.pass(request, "request", guarded);
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
    const guarded = record?.definition;
    request.caller = host.gate.pass(request, "upgrade", guarded);
    const refuse = () => refusal(host, path);
    if (!record || record.owner.signal.aborted) throw refuse();
    request.owner = record.owner;
    await host.sockets.open(record, request, upgrade, refuse);
    return HANDLED;
  }

  async function answer(event: H3Event): Promise<unknown> {
    const request = requestOf(event);
    const path = event.url.pathname;
    const entry = entryOf(event);
    const handler = entry && handlerAt(entry, request);
    if (!entry || handler?.owner.signal.aborted) throw refusal(host, path);
    if (handler) return await answerByHandler(host, handler, event);
    await operate(host, entry, path, request);
    return HANDLED;
  }

  return {
    table,
    handlers: {
      async request(req, res) {
        const response = await h3.fetch(toRequest({ req, res }));
        // An operation writes its answer itself, and a stream continues to write.
        if (!res.headersSent && !res.destroyed)
          await sendNodeResponse(res, response);
      },
      upgrade(req, socket, head) {
        void h3.fetch(toRequest({ req, upgrade: { socket, head } }));
      },
    } satisfies Handlers,
  };
}

/** What is registered at each address, in step with the routes of h3. */
function createAddresses(h3: H3, answer: (event: H3Event) => Promise<unknown>) {
  /** What answers every address outside `/api` that is nothing else. */
  let pages: PathEntry | undefined;
  // An unknown operation must not be taken for a page: only a paired client learns that it is unknown.
  h3.all("/api/**", answer, { meta: { isUnknown: true } });
  h3.all(ALL, answer);
  return {
    table: createRouteTable({
      add(path, entry) {
        if (path === ALL) pages = entry;
        else h3.all(toPattern(path), answer, { meta: { entry } });
      },
      remove(path) {
        if (path === ALL) pages = undefined;
        else removeRoute(h3, "", toPattern(path));
      },
    }),
    /** What is registered at a request's address, and nothing where that is unknown or cannot be decoded. */
    entryOf({ context: { matchedRoute } }: H3Event): PathEntry | undefined {
      const meta = matchedRoute?.meta ?? {};
      const { entry = pages, isUnknown = !matchedRoute } = meta;
      return isUnknown ? undefined : (entry as PathEntry | undefined);
    },
    /** The handler of h3 that answers. `POST /pair` is an operation, `GET /pair` a page. */
    handlerAt(
      entry: PathEntry,
      { isRead, method }: HttpRequest,
    ): HandlerRecord | undefined {
      const isPage =
        !entry.path.startsWith("/api/") && isRead && !findRecord(entry, method);
      return entry.handler ?? (isPage ? pages?.handler : undefined);
    },
  };
}

/** The access of a path decides also for a method that it does not have. */
function guardOf(
  entry: PathEntry,
  handler: HandlerRecord | undefined,
  { method }: HttpRequest,
): Guarded | undefined {
  if (handler) return handler.definition;
  const known = findRecord(entry, method) ?? firstRecord(entry);
  return known?.isPublic ? PUBLIC : known?.definition;
}

/** A request as h3 takes it, with what Node has of it. */
const toRequest = (sides: NodeSides) =>
  new NodeRequest(sides as ConstructorParameters<typeof NodeRequest>[0]);

/** Ids of requests: unique in this run and the next, and cheap. */
function createRequestIds(): () => string {
  const run = randomBytes(6)
    .toString("base64url")
    .replace(/[-_]/g, "0")
    .toLowerCase();
  let count = 0;
  return () => `req_${run}${(++count).toString(36)}`;
}
