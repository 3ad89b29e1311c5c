import type { IncomingMessage, ServerResponse } from "node:http";
import type { H3Event } from "h3";
import type { HttpRequest } from "./http-request.ts";

/** The request that passed the gate. */
export function requestOf(event: H3Event): HttpRequest {
  return event.context.request as HttpRequest;
}

/** What Node has of a request that h3 handles. */
export function nodeSides(event: H3Event): {
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
