import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "@gantry/plugin";
import type { Head } from "./request-head.ts";

/** A request that the gate accepted. */
export interface Exchange {
  head: Head;
  message: IncomingMessage;
  response: ServerResponse;
  caller: Caller | undefined;
  /** The body, once it is read. */
  body?: unknown;
}
