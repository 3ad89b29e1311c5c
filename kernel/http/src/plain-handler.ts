import { assertBodySize } from "h3";
import type { H3Event } from "h3";
import { runInContext } from "@gantry/system/context/work-context";
import type { Arrival } from "./answer-failure.ts";
import { DEFAULT_MAX_BODY } from "./body.ts";
import type { Connections } from "./connections.ts";
import { errors } from "./errors.ts";
import type { Gate } from "./gate.ts";
import { guardResponse, removeHeaders } from "./guard-exchange.ts";
import { methodNotAllowed, refuseBody } from "./operate.ts";
import { closeAfterUnreadBody } from "./reply.ts";
import type { HandlerRecord } from "./route-table.ts";

/** Dependencies of {@link runPlainHandler}. */
export interface PlainHandlerHost {
  gate: Gate;
  connections: Connections;
  /** The error for a path whose plugin is not active. */
  unavailableAt(path: string): Error | undefined;
}

const ALL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Headers with credentials of the daemon; a handler with access of its own gets its own credential. */
const CREDENTIALS = {
  session: ["cookie", "authorization"],
  self: ["cookie"],
} as const;

/**
 * Runs a plugin's handler of h3 behind the gate.
 *
 * @returns what h3 is to send
 * @throws what the gate or the handler throws
 */
export function runPlainHandler(
  host: PlainHandlerHost,
  { handle, options, owner }: HandlerRecord,
  event: H3Event,
  { head, path, response }: Arrival,
): Promise<unknown> {
  const { access, authorize, methods = ALL_METHODS } = options;
  const { maxBody = DEFAULT_MAX_BODY } = options;
  const guarded = { access, servesHooks: false, streams: true };
  const caller = host.gate.pass(head, "request", guarded);
  const { plugin } = owner;
  return runInContext({ plugin, requestId: head.requestId }, async () => {
    if (access === "self") await authorize?.(head);
    // Its client left in the meantime, so that there is nothing to end later.
    if (response.destroyed) return;
    if (owner.signal.aborted)
      throw host.unavailableAt(path) ?? errors.ROUTE_NOT_FOUND();
    const method = head.isRead ? "GET" : head.method;
    if (!(methods as readonly string[]).includes(method))
      throw methodNotAllowed(methods);
    if (head.isRead) refuseBody(head);
    if (Number(head.header("content-length") ?? 0) > maxBody)
      throw errors.BODY_TOO_LARGE({ limit: maxBody });
    if (head.hasBody) assertBodySize(event, maxBody);

    removeHeaders(head.message, CREDENTIALS[access]);
    guardResponse(response, head.requestId);
    closeAfterUnreadBody(head.message, response);
    const end = () => response.destroy();
    response.once("close", host.connections.add({ caller, plugin, end }));
    return owner.follow((async () => handle(event as never))());
  });
}
