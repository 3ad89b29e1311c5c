import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { H3Event } from "h3";
import type { Caller, RouteRequest } from "@gantry/plugin";
import { createOwnedSignal } from "@gantry/system/context/owned-signal";
import { errors } from "@gantry/system/errors";
import type { Peers } from "./peer-address.ts";
import type { RouteOwner } from "./route-table.ts";

/**
 * Headers that are looked for in each request. Of some of them the gate must see each occurrence, and Node keeps only
 * one; and of none of them Node's own record need be made to see that it was not sent.
 */
const WATCHED = [
  "host",
  "origin",
  "cookie",
  "authorization",
  "if-match",
  "content-type",
  "content-length",
  "transfer-encoding",
  "sec-fetch-site",
] as const;

type Watched = (typeof WATCHED)[number];

const WATCHED_NAMES: ReadonlySet<string> = new Set(WATCHED);
/** Most headers are told from these by their length alone. */
const WATCHED_LENGTHS = new Set(WATCHED.map((name) => name.length));

const isWatched = (name: string): name is Watched => WATCHED_NAMES.has(name);

/** The path that a request asks for, as it was sent. */
export function pathOf({ url = "" }: IncomingMessage): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** A connection whose client asks for a socket, and what it has sent already. */
export interface Upgrade {
  socket: Duplex;
  head: Buffer;
}

/** What Node has of a request that h3 handles. */
export type NodeSides = {
  req: IncomingMessage;
} & (
  | { res: ServerResponse; upgrade?: undefined }
  | { res?: undefined; upgrade: Upgrade }
);

export const nodeSides = (event: H3Event) => event.runtime?.node as NodeSides;

/** The request that passed the gate. */
export const requestOf = (event: H3Event) =>
  event.context.request as HttpRequest;

/**
 * One request, from the gate to its handler: its head, read once from the raw header list, then who calls, and the input
 * once it is checked. Handlers take it apart, so `header` and `headerCount` need no `this`.
 *
 * A class, since the engine makes a hidden class for each single object that is written down with getters of its own; those
 * are only freed by a full collection, and hold the whole request until then.
 */
export class HttpRequest implements RouteRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly message: IncomingMessage;
  /** Whether any `Sec-Fetch-*` header was sent, which only browsers do and no script can forge. */
  readonly fromBrowser: boolean;
  caller: Caller | undefined;
  query: unknown;
  body: unknown;
  ifMatch: number | undefined;
  /** Who answers it, once that is decided. */
  owner: RouteOwner | undefined;
  readonly #response: ServerResponse | undefined;
  readonly #watched: { [Name in Watched]?: string[] } = {};
  readonly #peers: Peers;
  #search: URLSearchParams | undefined;
  #signal: AbortSignal | undefined;

  constructor(
    { req: message, res }: NodeSides,
    peers: Peers,
    requestId: string,
    params: Readonly<Record<string, string>> = {},
  ) {
    this.message = message;
    this.method = message.method ?? "GET";
    this.params = params;
    this.requestId = requestId;
    this.#response = res;
    this.#peers = peers;
    const raw = message.rawHeaders;
    let fromBrowser = false;
    for (let index = 0; index < raw.length; index += 2) {
      const name = raw[index] ?? "";
      if (WATCHED_LENGTHS.has(name.length)) {
        const lower = name.toLowerCase();
        if (isWatched(lower))
          (this.#watched[lower] ??= []).push(raw[index + 1] ?? "");
      }
      fromBrowser ||=
        name.length > 10 &&
        (name[0] === "S" || name[0] === "s") &&
        /^sec-fetch-/i.test(name);
    }
    this.fromBrowser = fromBrowser;
  }

  /** Where the answer is written to. */
  get response(): ServerResponse {
    if (!this.#response) throw new Error("An upgrade has no response.");
    return this.#response;
  }

  /** Whether it is a GET or a HEAD, which change nothing and have no body. */
  get isRead(): boolean {
    return this.method === "GET" || this.method === "HEAD";
  }

  /** Each value of a watched header, in the order sent. */
  all(name: Watched): readonly string[] {
    return this.#watched[name] ?? [];
  }

  /** Whether a body is announced. */
  get hasBody(): boolean {
    const [length = "0"] = this.all("content-length");
    return length !== "0" || this.all("transfer-encoding").length > 0;
  }

  get header() {
    return (name: string): string | undefined => {
      if (isWatched(name) && !this.#watched[name]) return undefined;
      const value = this.message.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    };
  }

  get headerCount() {
    return (name: string): number => {
      const raw = this.message.rawHeaders;
      let count = 0;
      for (let index = 0; index < raw.length; index += 2)
        if (raw[index]?.toLowerCase() === name) count++;
      return count;
    };
  }

  get search(): URLSearchParams {
    // A target has no fragment, so all behind the path is the query.
    const query = this.message.url?.slice(this.path.length);
    return (this.#search ??= new URLSearchParams(query));
  }

  /** As it was sent. */
  get path(): string {
    return pathOf(this.message);
  }

  get remoteAddress(): string {
    return this.#peers.addressOf(this.message);
  }

  get signal(): AbortSignal {
    const { owner } = this;
    if (!owner)
      throw new Error("It is not decided yet what answers this request.");
    return (this.#signal ??= AbortSignal.any([
      signalOfClient(this.response, owner.plugin),
      owner.signal,
    ]));
  }

  /** Reads the revision that `If-Match` asks for. @throws IF_MATCH_INVALID */
  readIfMatch(): void {
    const values = this.all("if-match");
    const [value] = values;
    if (value === undefined || value === "*") return;
    const match = /^"(\d{1,15})"$/.exec(value);
    if (!match || values.length > 1) throw errors.IF_MATCH_INVALID();
    this.ifMatch = Number(match[1]);
  }
}

/** Aborts when the client leaves before it has its answer. */
function signalOfClient(response: ServerResponse, plugin: string): AbortSignal {
  const left = createOwnedSignal(plugin);
  if (response.destroyed) left.abort();
  response.once("close", () => {
    if (!response.writableFinished) left.abort();
  });
  return left.signal;
}
