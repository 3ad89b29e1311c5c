import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { H3, HTTPError, removeRoute, toNodeHandler } from "h3";
import type { H3Event } from "h3";
import type { Disposer, Log } from "@gantry/plugin";
import { answerFailure } from "./answer-failure.ts";
import type { Arrival } from "./answer-failure.ts";
import { DirectEvent, routeDirectly } from "./direct-event.ts";
import type { RoutedEvent } from "./direct-event.ts";
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
import { runPlainHandler } from "./plain-handler.ts";
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
  /** The plugin that it belongs to; the kernel unless given. */
  plugin?: string;
  handle(event: H3Event, head: Head): unknown;
}

/** Dependencies of {@link createApp}. */
export interface AppHost extends OperateHost {
  peers: Peers;
  log: Log;
}

/** The HTTP side of the kernel: one h3 app behind the gate. */
export interface App {
  table: RouteTable;
  /**
   * Serves content until it is removed. Content with the pattern `/**` answers every address outside `/api` without
   * another route, and pages at addresses of operations outside `/api`.
   */
  addContent(content: Content): Disposer;
  /** Listener for the server's `request` event. */
  handler: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Creates the app. Routes may be added and removed while it serves. */
export function createApp(host: AppHost): App {
  const h3 = new H3({ silent: true });
  const nodeHandler = toNodeHandler(h3);
  const requestIds = createRequestIds();
  const contents = createContents(h3, answerContent);

  function arrive(event: RoutedEvent): Arrival {
    const { message, response } = nodeSides(event);
    const params = event.context.params ?? {};
    const head = new Head(message, params, requestIds.next(), host.peers);
    return { head, response, path: event.url.pathname };
  }

  /** Answers a request for a registered operation, or for an address without a route. */
  async function answerOperation(
    event: RoutedEvent,
    entry?: PathEntry,
  ): Promise<unknown> {
    const arrival = arrive(event);
    const { head, response } = arrival;
    try {
      await operate(host, entry, arrival);
      // h3 would end the response, but a stream continues after its handler.
      if (
        !(event instanceof DirectEvent) &&
        !response.writableEnded &&
        !response.closed
      )
        await once(response, "close");
    } catch (thrown) {
      const plugin = entry && findRecord(entry, head.method)?.owner.plugin;
      answerFailure(host.log, arrival, thrown, plugin);
    }
    return HANDLED;
  }

  /**
   * Answers a request with a response that h3 sends, which needs an event of h3.
   *
   * @param plugin The plugin whose code runs, for the log.
   * @param sendsErrors Whether an error of h3 that `handle` throws is an answer.
   */
  async function answerThroughH3(
    event: RoutedEvent,
    handle: (event: H3Event, arrival: Arrival) => unknown,
    { plugin, sendsErrors = false }: { plugin?: string; sendsErrors?: boolean },
  ): Promise<unknown> {
    if (event instanceof DirectEvent)
      return nodeHandler(event.req, event.response);
    const arrival = arrive(event);
    try {
      return await handle(event, arrival);
    } catch (thrown) {
      const isOfH3 = sendsErrors && HTTPError.isError(thrown);
      if (isOfH3 && !thrown.unhandled) throw thrown;
      // h3 wraps errors that are not its own.
      answerFailure(host.log, arrival, isOfH3 ? thrown.cause : thrown, plugin);
      return HANDLED;
    }
  }

  function answerContent(
    event: RoutedEvent,
    { access, handle, plugin }: Content,
  ): Promise<unknown> {
    const answer = (h3Event: H3Event, { head, response }: Arrival) => {
      host.gate.pass(head, "request", { access, servesHooks: false });
      if (!head.isRead) throw methodNotAllowed(["GET"]);
      refuseBody(head);
      setSecurityHeaders(response, head.requestId);
      return handle(h3Event, head);
    };
    return answerThroughH3(event, answer, { plugin });
  }

  function answerEntry(event: RoutedEvent, entry: PathEntry): unknown {
    const { handler } = entry;
    if (handler)
      return answerThroughH3(
        event,
        (h3Event, arrival) => runPlainHandler(host, handler, h3Event, arrival),
        { plugin: handler.owner.plugin, sendsErrors: true },
      );
    // `POST /pair` is an operation, `GET /pair` a page.
    const { method } = event.req;
    const isRead = method === "GET" || method === "HEAD";
    const pages = contents.pages();
    if (
      pages &&
      isRead &&
      !entry.path.startsWith("/api/") &&
      !findRecord(entry, method)
    )
      return answerContent(event, pages);
    return answerOperation(event, entry);
  }

  // An unknown operation must not be answered like a page: only a paired client learns that it is unknown.
  h3.all("/api/**", (event) => answerOperation(event));
  h3.all(ALL_PAGES, (event) => {
    const pages = contents.pages();
    return pages ? answerContent(event, pages) : answerOperation(event);
  });
  return {
    table: createRouteTable({
      add: (path, entry) =>
        void h3.all(toPattern(path), (event) => answerEntry(event, entry)),
      remove: (path) => removeRoute(h3, "", toPattern(path)),
    }),
    addContent: contents.add,
    handler(message, response) {
      if (routeDirectly(h3, message, response)) return;
      if (isPlainTarget(message.url))
        return void nodeHandler(message, response);
      const requestId = requestIds.next();
      const { problem } = toProblem(malformed(), requestId);
      sendProblem(message, response, requestId, problem);
    },
  };
}

/** Pattern of the content that has every address which nothing else has. */
const ALL_PAGES = "/**";

/** Registers content with h3, which asks for that of {@link ALL_PAGES} in a route of its own. */
function createContents(
  h3: H3,
  answer: (event: RoutedEvent, content: Content) => unknown,
) {
  const contents = new Map<string, Content>();
  return {
    pages: () => contents.get(ALL_PAGES),
    add(content: Content): Disposer {
      const { pattern } = content;
      if (contents.has(pattern))
        throw new TypeError(`${pattern} is already registered.`);
      contents.set(pattern, content);
      if (pattern !== ALL_PAGES)
        h3.all(pattern, (event) => answer(event, content));
      return () => {
        if (contents.get(pattern) !== content) return;
        contents.delete(pattern);
        if (pattern !== ALL_PAGES) removeRoute(h3, "", pattern);
      };
    },
  };
}

/** Returned to h3 when the answer has been written already. */
const HANDLED = Symbol.for("h3.handled");

/**
 * Whether a target may be passed to h3. h3 reads a host from an absolute target, and answers a target that it cannot decode
 * without the gate.
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

function nodeSides(event: RoutedEvent): {
  message: IncomingMessage;
  response: ServerResponse;
} {
  if (event instanceof DirectEvent)
    return { message: event.req, response: event.response };
  const node = event.runtime?.node;
  if (!node?.res) throw new Error("The kernel serves Node requests only.");
  return {
    message: node.req as IncomingMessage,
    response: node.res as ServerResponse,
  };
}

/** Creates request ids: a random part for each start and a counter, which is cheaper than random bytes for each id. */
function createRequestIds() {
  const run = randomBytes(6)
    .toString("base64url")
    .replace(/[-_]/g, "0")
    .toLowerCase();
  let count = 0;
  return { next: () => `req_${run}${(++count).toString(36)}` };
}
