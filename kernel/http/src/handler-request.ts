import type { ServerResponse } from "node:http";
import type { Caller, RouteRequest } from "@gantry/plugin";
import { createOwnedSignal } from "@gantry/system/context/owned-signal";
import { errors } from "./errors.ts";
import type { Head } from "./request-head.ts";
import type { RouteOwner } from "./route-table.ts";

/** Parts of a handler's request. */
export interface RequestParts {
  head: Head;
  response: ServerResponse;
  caller: Caller | undefined;
  query: unknown;
  body: unknown;
  owner: RouteOwner;
}

/**
 * The request of a handler. Handlers destructure it, so `header` and `headerCount` need no `this`.
 *
 * A class, since V8 creates a hidden class for each object literal with getters. Only a full collection frees these, and they
 * keep the whole request until then.
 */
export class HandlerRequest implements RouteRequest {
  readonly #head: Head;
  readonly #response: ServerResponse;
  readonly #owner: RouteOwner;
  #signal: AbortSignal | undefined;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: Caller | undefined;
  readonly ifMatch: number | undefined;

  constructor({ head, response, caller, query, body, owner }: RequestParts) {
    this.#head = head;
    this.#response = response;
    this.#owner = owner;
    this.query = query;
    this.body = body;
    this.caller = caller;
    this.ifMatch = parseIfMatch(head);
  }

  get method() {
    return this.#head.method;
  }

  get params() {
    return this.#head.params;
  }

  get search() {
    return this.#head.search;
  }

  get requestId() {
    return this.#head.requestId;
  }

  get remoteAddress() {
    return this.#head.remoteAddress;
  }

  get header() {
    return (name: string) => this.#head.header(name);
  }

  get headerCount() {
    return (name: string) => this.#head.headerCount(name);
  }

  get signal() {
    return (this.#signal ??= AbortSignal.any([
      signalOfClient(this.#response, this.#owner.plugin),
      this.#owner.signal,
    ]));
  }
}

/** Aborts when the client disconnects before it has its answer. */
function signalOfClient(response: ServerResponse, plugin: string): AbortSignal {
  const left = createOwnedSignal(plugin);
  if (response.destroyed) left.abort();
  response.once("close", () => {
    if (!response.writableFinished) left.abort();
  });
  return left.signal;
}

function parseIfMatch(head: Head): number | undefined {
  const values = head.all("if-match");
  const [value] = values;
  if (value === undefined || value === "*") return undefined;
  const match = /^"(\d{1,15})"$/.exec(value);
  if (!match || values.length > 1) throw errors.IF_MATCH_INVALID();
  return Number(match[1]);
}
