import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "@gantry/plugin";
import type { Head } from "./request-head.ts";

/** A request that the gate let through, on its way to its handler. */
export interface Exchange {
  head: Head;
  message: IncomingMessage;
  response: ServerResponse;
  caller: Caller | undefined;
  /** What the client sent, once it is read. */
  body?: unknown;
}
