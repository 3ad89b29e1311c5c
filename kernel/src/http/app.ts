import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { H3, toNodeHandler } from "h3";
import type { H3Event } from "h3";
import * as rou3 from "rou3";
import type { MatchedRoute } from "rou3";
import type { GantryError, Log } from "@gantry/plugin";
import { malformed } from "./gate.ts";
import {
  findRecord,
  methodNotAllowed,
  operate,
  refuseBody,
} from "./operate.ts";
import type { OperateHost } from "./operate.ts";
import { toPattern } from "./path-pattern.ts";
import type { Peers } from "./peer-address.ts";
import { toProblem } from "./problem.ts";
import { sendProblem, setSecurityHeaders } from "./reply.ts";
import { Head } from "./request-head.ts";
import { createRouteTable } from "./route-table.ts";
import type { PathEntry, RouteTable } from "./route-table.ts";

/** A page, script or picture that needs no session, or a folder of them; answered by h3 itself. */
export interface Content {
  /** h3 route pattern: `/`, `/shared/**`. */
  pattern: string;
  access: "public" | "session";
  handle(event: H3Event): unknown;
}

/** What is at an address: operations (none for an unknown one), or content. */
type Target = { entry: PathEntry | undefined } | { content: Content };

/** Dependencies of {@link createApp}. */
export interface AppHost extends OperateHost {
  peers: Peers;
  log: Log;
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
  // Not among the routes of h3, which builds its router anew for each that goes.
  const operations = rou3.createRouter<PathEntry>();
  const table = createRouteTable({
    add: (path, entry) => rou3.addRoute(operations, "", toPattern(path), entry),
    remove: (path) => rou3.removeRoute(operations, "", toPattern(path)),
  });

  /** Answers what came through h3. */
  async function answer(event: H3Event): Promise<unknown> {
    const { message, response } = nodeSides(event);
    const requestId = requestIds.next();
    const path = event.url.pathname;
    const operation = rou3.findRoute(operations, "", path);
    try {
      const params = operation?.params ?? {};
      const head = new Head(message, params, requestId, host.peers);
      const target = targetOf(event, head, operation?.data);
      if ("content" in target) {
        const { access, handle } = target.content;
        host.gate.pass(head, "request", { access, servesHooks: false });
        if (!head.isRead) throw methodNotAllowed(["GET"]);
        refuseBody(head);
        setSecurityHeaders(response, requestId);
        return await handle(event);
      }
      await operate(host, target.entry, { head, response, path });
      // h3 would end what is not ended yet, and a stream goes on.
      if (!response.writableEnded && !response.closed)
        await once(response, "close");
    } catch (thrown) {
      fail(message, response, { requestId, path }, thrown);
    }
    return HANDLED;
  }

  /** Answers an operation without h3, whose event, request and response objects cost as much as all of the gate. */
  async function answerDirectly(
    message: IncomingMessage,
    response: ServerResponse,
    { data: entry, params = {} }: MatchedRoute<PathEntry>,
  ): Promise<void> {
    const head = new Head(message, params, requestIds.next(), host.peers);
    const { requestId, path } = head;
    try {
      await operate(host, entry, { head, response, path });
    } catch (thrown) {
      const plugin = findRecord(entry, head.method)?.owner.plugin;
      fail(message, response, { requestId, path, plugin }, thrown);
    }
  }

  function fail(
    message: IncomingMessage,
    response: ServerResponse,
    where: { requestId: string; path: string; plugin?: string },
    thrown: unknown,
  ): void {
    if (
      response.closed &&
      thrown instanceof Error &&
      thrown.name === "AbortError"
    )
      return; // The client is gone, and the operation ended for that.
    const { problem, unexpected } = toProblem(thrown, where.requestId);
    if (unexpected) host.log.error("Request failed", where, thrown);
    else noteCause(where, thrown as GantryError);
    try {
      sendProblem(message, response, where.requestId, problem);
    } catch (error) {
      host.log.error("A problem could not be answered", where, error);
      response.destroy();
    }
  }

  /** Logs the cause of an error, which the answer does not contain. */
  function noteCause(
    where: { requestId: string; path: string },
    { code, status, cause }: GantryError,
  ): void {
    if (status >= 500 && cause !== undefined)
      host.log.warn("Request refused", {
        ...where,
        code,
        cause: String(cause),
      });
  }

  /** The operation that a request is for, if its address is spelt in the one way that needs no decoding. */
  function findOperation({
    url = "",
    method,
  }: IncomingMessage): MatchedRoute<PathEntry> | undefined {
    const [path] = PLAIN_PATH.exec(url) ?? [];
    if (path === undefined) return undefined;
    const match = rou3.findRoute(operations, "", path);
    return match && findRecord(match.data, method) ? match : undefined;
  }

  /** What is at the address of a request. */
  function targetOf(event: H3Event, head: Head, entry?: PathEntry): Target {
    if (!entry) {
      const meta = event.context.matchedRoute?.meta;
      return (meta?.target as Target | undefined) ?? { entry };
    }
    // `POST /pair` is an operation, `GET /pair` a page.
    const isPage =
      !entry.path.startsWith("/api/") &&
      head.isRead &&
      !findRecord(entry, head.method);
    return isPage && pages ? { content: pages } : { entry };
  }

  function addContent(content: Content): void {
    const meta = { target: { content } satisfies Target };
    h3.all(content.pattern, () => undefined, { meta });
  }

  h3.use((event) => answer(event));
  // An unknown operation must not be taken for a page: only a paired client learns that it is unknown.
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
      const operation = findOperation(message);
      if (operation) return answerDirectly(message, response, operation);
      if (isPlainTarget(message.url)) return nodeHandler(message, response);
      const requestId = requestIds.next();
      const { problem } = toProblem(malformed(), requestId);
      sendProblem(message, response, requestId, problem);
    },
  };
}

/** For h3: the answer has been written, there is nothing left to send. */
const HANDLED = Symbol.for("h3.handled");

/** A path that means the same decoded or not, with dots resolved or not. */
const PLAIN_PATH = /^(?:\/[\w~-][\w.~-]*)+(?=\?|$)/;

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

/** Ids of requests: unique in this run and the next, and cheap. */
function createRequestIds() {
  const run = randomBytes(6)
    .toString("base64url")
    .replace(/[-_]/g, "0")
    .toLowerCase();
  let count = 0;
  return { next: () => `req_${run}${(++count).toString(36)}` };
}
