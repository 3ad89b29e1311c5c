import { randomBytes } from "node:crypto";
import { H3, removeRoute } from "h3";
import type { H3Event } from "h3";
import { NodeRequest, sendNodeResponse } from "srvx/node";
import type { Log } from "@gantry/plugin";
import type { Audit } from "../audit/audit.ts";
import { answerByHandler } from "./answer-by-handler.ts";
import { answerProblem } from "./answer-problem.ts";
import { nodeSides, requestOf } from "./event-sides.ts";
import type { NodeSides } from "./event-sides.ts";
import type { Gate, Guarded } from "./gate.ts";
import { HttpRequest } from "./http-request.ts";
import { methodNotAllowed, operate, refusal, refuseBody } from "./operation.ts";
import type { OperationHost } from "./operation.ts";
import { toPattern } from "./path-pattern.ts";
import type { Handlers } from "./listener.ts";
import type { Peers } from "./peer-address.ts";
import { setSecurityHeaders } from "./reply.ts";
import { createRouteTable, findRecord, firstRecord } from "./route-table.ts";
import type { PathEntry, RouteTable } from "./route-table.ts";
import type { SocketServer, Upgrade } from "./sockets.ts";

/** A page, script or picture that needs no session, or a folder of them; h3 writes the answer. */
export interface Content {
  /** h3 route pattern: `/`, `/shared/**`. */
  pattern: string;
  access: "public" | "session";
  handle(event: H3Event): unknown;
}

/** Dependencies of {@link createApp}. */
export interface AppHost extends OperationHost {
  gate: Gate;
  peers: Peers;
  log: Log;
  audit: Pick<Audit, "note">;
  sockets: SocketServer;
  /** Answers every address outside `/api` that is nothing else. */
  pages?: Content["handle"] | undefined;
}

/** The HTTP side of the kernel: one h3 app behind the gate. */
export interface App {
  table: RouteTable;
  addContent(content: Content): void;
  readonly handlers: Handlers;
}

/** What the gate knows of a route: what is at its address, and nothing where that is unknown. */
interface RouteMeta {
  entry?: PathEntry;
  content?: Content;
}

/** Makes the app. Routes may be added and removed while it serves. */
export function createApp(host: AppHost): App {
  const { log, audit } = host;
  const nextRequestId = createRequestIds();
  const h3 = new H3({
    silent: true,
    onError(error, event) {
      const { handler } = metaOf(event).entry ?? {};
      // Errors of h3 are answers of the plugin's.
      if (handler && !error.unhandled) return undefined;
      answerProblem({ log, audit, nextRequestId }, event, error);
      return HANDLED;
    },
  });
  const pages: Content | undefined = host.pages && {
    pattern: "/**",
    access: "public",
    handle: host.pages,
  };
  const table = createRouteTable({
    add(path, entry) {
      const handle = async (event: H3Event) => {
        const request = requestOf(event);
        const { handler } = entry;
        if (handler?.owner.signal.aborted) refuseUnknown(event);
        if (handler) return await answerByHandler(host, handler, event);
        const content = pageInsteadOf(entry, request, pages);
        if (content) return await serve(content, event);
        await operate(host, entry, event.url.pathname, request);
        return HANDLED;
      };
      h3.all(toPattern(path), handle, { meta: { entry } });
    },
    remove: (path) => removeRoute(h3, "", toPattern(path)),
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
    const guarded = guardOf(request, metaOf(event), pages);
    request.caller = gate.pass(request, "request", guarded);
    return next();
  }

  async function openSocket(
    event: H3Event,
    upgrade: Upgrade,
  ): Promise<unknown> {
    const request = requestOf(event);
    const path = event.url.pathname;
    const { entry } = metaOf(event);
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

  function addContent(content: Content): void {
    const { pattern } = content;
    h3.all(pattern, (event) => serve(content, event), { meta: { content } });
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
  if (pages) addContent(pages);
  else h3.all("/**", refuseUnknown);
  return {
    table,
    addContent,
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

/** For h3: the answer has been written, there is nothing left to send. */
const HANDLED = Symbol.for("h3.handled");

async function serve(content: Content, event: H3Event): Promise<unknown> {
  const request = requestOf(event);
  if (!request.isRead) throw methodNotAllowed(["GET"]);
  refuseBody(request);
  setSecurityHeaders(request.response, request.requestId);
  return await content.handle(event);
}

function metaOf(event: H3Event): RouteMeta {
  return event.context.matchedRoute?.meta ?? {};
}

function guardOf(
  request: HttpRequest,
  { entry, content }: RouteMeta,
  pages: Content | undefined,
): Guarded | undefined {
  const page = content ?? (entry && pageInsteadOf(entry, request, pages));
  if (page) return { access: page.access, servesHooks: false };
  return entry && guardOfEntry(entry, request);
}

/** `POST /pair` is an operation, `GET /pair` a page. */
function pageInsteadOf(
  entry: PathEntry,
  request: HttpRequest,
  pages: Content | undefined,
): Content | undefined {
  const isPage =
    !entry.handler &&
    !entry.path.startsWith("/api/") &&
    request.isRead &&
    !findRecord(entry, request.method);
  return isPage ? pages : undefined;
}

/** The access of a path decides also for a method that it does not have. */
function guardOfEntry(
  entry: PathEntry,
  { method }: HttpRequest,
): Guarded | undefined {
  if (entry.handler) return { access: "session", servesHooks: false };
  const known = findRecord(entry, method) ?? firstRecord(entry);
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
