import type { IncomingMessage, ServerResponse } from "node:http";
import type { H3Event } from "h3";
import type { HttpRequest } from "./http-request.ts";
import type { Upgrade } from "./sockets.ts";

/** The request that passed the gate. */
export function requestOf(event: H3Event): HttpRequest {
  return event.context.request as HttpRequest;
}

/** What Node has of a request that h3 handles. */
export type NodeSides = {
  req: IncomingMessage;
} & (
  | { res: ServerResponse; upgrade?: undefined }
  | { res?: undefined; upgrade: Upgrade }
);

export function nodeSides(event: H3Event): NodeSides {
  return event.runtime?.node as NodeSides;
}
