import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { H3, removeRoute, toNodeHandler } from "h3";
import type { H3Event } from "h3";
import type { Log } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { dispatch } from "./dispatch.ts";
import type { DispatchHost } from "./dispatch.ts";
import { malformed } from "./gate.ts";
import type { Gate, Guarded } from "./gate.ts";
import { toPattern } from "./path-pattern.ts";
import { toProblem } from "./problem.ts";
import { hasBody, sendProblem, setSecurityHeaders } from "./reply.ts";
import { Head } from "./request-head.ts";
import { createRouteTable } from "./route-table.ts";
import type { PathEntry, RouteRecord, RouteTable } from "./route-table.ts";

/** A page, script or picture that needs no session, or a folder of them; answered by h3 itself. */
export interface Content {
  /** h3 route pattern: `/`, `/shared/**`. */
  pattern: string;
  access: "public" | "session";
  handle(event: H3Event): unknown;
}

/** What is at an address: operations (none for an unknown one), or content. */
type Target = { entry: PathEntry | undefined } | { content: Content };

/** A plugin that has mounts but is not active. */
export interface Unavailable {
  plugin: string;
  state: string;
}

/** What the app stands on. */
export interface AppHost extends DispatchHost {
  gate: Gate;
  log: Log;
  /** The plugin that owns a path and is not active, if there is one. */
  unavailableAt(path: string): Unavailable | undefined;
}

/** The HTTP side of the kernel: one h3 app behind the gate. */
export interface App {
  table: RouteTable;
  addContent(content: Content): void;
  /** Sets what answers every address outside `/api` that is nothing else. */
  setPages(handle: Content["handle"]): void;
  handler(request: IncomingMessage, response: ServerResponse): unknown;
}

/** Makes the app. Routes may be added and removed while it serves. */
export function createApp(host: AppHost): App {
  const h3 = new H3({ silent: true });
  const requestIds = createRequestIds();
  let pages: Content | undefined;
  const table = createRouteTable({
    add: (path, entry) =>
      void h3.all(toPattern(path), () => undefined, {
        meta: { target: { entry } },
      }),
    remove: (path) => removeRoute(h3, "", toPattern(path)),
  });

  async function answer(event: H3Event): Promise<unknown> {
    const { message, response } = nodeSides(event);
    const requestId = requestIds.next();
    try {
      const head = new Head(message, event.context.params ?? {}, requestId);
      const target = targetOf(event, head);
      if ("content" in target) {
        const { access, handle } = target.content;
        host.gate.pass(head, "request", { access, servesHooks: false });
        if (!isRead(head.method)) throw methodNotAllowed(["GET"]);
        refuseBody(head);
        setSecurityHeaders(response, requestId);
        return await handle(event);
      }
      const { entry } = target;
      const record = entry && findRecord(entry, head.method);
      const guarded = entry && guard(entry, record);
      const caller = host.gate.pass(head, "request", guarded);
      if (guarded?.access === "self") {
        await authorizeSelf(record ?? firstRecord(entry), head);
      }
      // A plugin that stops takes nothing new, while what it works on goes on.
      if (!record || record.owner.signal.aborted)
        throw refusal(host, event.url.pathname, entry);
      if (isRead(head.method)) refuseBody(head);
      await dispatch(host, record, { head, message, response, caller });
      // h3 would end what is not ended yet, and a stream goes on.
      if (!response.writableEnded) await once(response, "close");
    } catch (thrown) {
      const { problem, unexpected } = toProblem(thrown, requestId);
      if (unexpected) {
        const { pathname: path } = event.url;
        host.log.error("Request failed", { requestId, path }, thrown);
      }
      sendProblem(message, response, requestId, problem);
    }
    return HANDLED;
  }

  /** What is at the address of a request. */
  function targetOf(event: H3Event, head: Head): Target {
    const target = event.context.matchedRoute?.meta?.target as
      Target | undefined;
    if (!target) return { entry: undefined };
    // `POST /pair` is an operation, `GET /pair` a page.
    const isPage =
      "entry" in target &&
      target.entry &&
      !target.entry.path.startsWith("/api/") &&
      isRead(head.method) &&
      !findRecord(target.entry, head.method);
    return isPage && pages ? { content: pages } : target;
  }

  function addContent(content: Content): void {
    const meta = { target: { content } satisfies Target };
    h3.all(content.pattern, () => undefined, { meta });
  }

  h3.use((event) => answer(event));
  // An unknown operation must not be taken for a page: only whoever is paired hears that it is unknown.
  h3.all("/api/**", () => undefined, {
    meta: { target: { entry: undefined } satisfies Target },
  });
  const nodeHandler = toNodeHandler(h3);
  return {
    table,
    addContent,
    setPages(handle) {
      pages = { pattern: "/**", access: "public", handle };
      addContent(pages);
    },
    handler(message, response) {
      if (isPlainTarget(message.url)) return nodeHandler(message, response);
      const requestId = requestIds.next();
      const { problem } = toProblem(malformed(), requestId);
      sendProblem(message, response, requestId, problem);
    },
  };
}

/** For h3: the answer has been written, there is nothing left to send. */
const HANDLED = Symbol.for("h3.handled");

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** A body of a request that takes none would be read to its end by Node, however long it is. */
function refuseBody(head: Head): void {
  if (hasBody(head.message)) throw errors.BODY_NOT_EXPECTED();
}

/**
 * Whether h3 may see a target. It takes its own idea of the host out of an absolute one, and answers one that cannot
 * be decoded by itself, past the gate.
 */
function isPlainTarget(target: string | undefined): boolean {
  if (!target?.startsWith("/")) return false;
  if (!target.includes("%")) return true;
  try {
    decodeURI(target.split("?", 1)[0] ?? "");
    return true;
  } catch {
    return false;
  }
}

function nodeSides(event: H3Event): {
  message: IncomingMessage;
  response: ServerResponse;
} {
  const node = event.runtime?.node;
  if (!node?.res) throw new Error("The kernel serves Node requests only.");
  return {
    message: node.req as IncomingMessage,
    response: node.res as ServerResponse,
  };
}

function findRecord(entry: PathEntry, method: string): RouteRecord | undefined {
  // HEAD is GET without the body, and no other method stands for another.
  return entry.methods.get((method === "HEAD" ? "GET" : method) as "GET");
}

function firstRecord(entry: PathEntry | undefined): RouteRecord | undefined {
  return entry?.methods.values().next().value;
}

/**
 * The access of a path decides also for a method that it does not have: whoever may not call it learns nothing of it.
 */
function guard(
  entry: PathEntry,
  record: RouteRecord | undefined,
): Guarded | undefined {
  const known = record ?? firstRecord(entry);
  if (!known) return undefined;
  if (known.isPublic) return { access: "public", servesHooks: false };
  const { access, returns } = known.definition;
  const streams = returns === "event-stream";
  return { access, servesHooks: access === "self", streams };
}

async function authorizeSelf(
  record: RouteRecord | undefined,
  head: Head,
): Promise<void> {
  await record?.definition.authorize?.(head);
}

/** What a paired caller hears of an address or method that is not there. */
function refusal(
  host: AppHost,
  path: string,
  entry: PathEntry | undefined,
): Error {
  const unavailable = host.unavailableAt(path);
  if (unavailable) {
    const { plugin: id, state } = unavailable;
    return errors.PLUGIN_UNAVAILABLE({ id, state });
  }
  if (!entry || entry.methods.size === 0) return errors.ROUTE_NOT_FOUND();
  return methodNotAllowed([...entry.methods.keys()]);
}

function methodNotAllowed(methods: readonly string[]): Error {
  const all = methods.flatMap((method) =>
    method === "GET" ? ["GET", "HEAD"] : [method],
  );
  const headers = { allow: all.join(", ") };
  return errors.METHOD_NOT_ALLOWED({}, { headers });
}

/** Ids of requests: unique in this run and the next, and cheap. */
function createRequestIds() {
  const run = randomBytes(6)
    .toString("base64url")
    .replace(/[-_]/g, "0")
    .toLowerCase();
  let count = 0;
  return { next: () => `req_${run}${(++count).toString(36)}` };
}
