import type { IncomingMessage } from "node:http";
import type { RequestHead } from "@gantry/plugin";
import type { Peers } from "./peer-address.ts";

/**
 * Headers that are read from each request. Some may occur several times, of which Node keeps only one, and reading them from
 * the raw list saves the cost of Node's header object.
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

function isWatched(name: string): name is Watched {
  return (WATCHED as readonly string[]).includes(name);
}

const WATCHED_BY_LENGTH = new Map<number, Watched[]>();
for (const name of WATCHED) {
  WATCHED_BY_LENGTH.set(name.length, [
    ...(WATCHED_BY_LENGTH.get(name.length) ?? []),
    name,
  ]);
}

/** The path that a request asks for, as it was sent. */
export function pathOf({ url = "" }: IncomingMessage): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** The head of one request, read once from the raw header list. */
export class Head implements RequestHead {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly message: IncomingMessage;
  /** Whether any `Sec-Fetch-*` header was sent, which only browsers do and no script can forge. */
  readonly fromBrowser: boolean;
  readonly #watched: { [Name in Watched]?: string[] } = {};
  readonly #peers: Peers;
  #search: URLSearchParams | undefined;

  constructor(
    message: IncomingMessage,
    params: Readonly<Record<string, string>>,
    requestId: string,
    peers: Peers,
  ) {
    this.#peers = peers;
    this.message = message;
    this.method = message.method ?? "GET";
    this.params = params;
    this.requestId = requestId;
    const raw = message.rawHeaders;
    let fromBrowser = false;
    for (let index = 0; index < raw.length; index += 2) {
      const name = raw[index] ?? "";
      const candidates = WATCHED_BY_LENGTH.get(name.length);
      if (candidates) {
        const lower = name.toLowerCase() as Watched;
        if (candidates.includes(lower))
          (this.#watched[lower] ??= []).push(raw[index + 1] ?? "");
      }
      fromBrowser ||=
        name.length > 10 &&
        (name[0] === "S" || name[0] === "s") &&
        /^sec-fetch-/i.test(name);
    }
    this.fromBrowser = fromBrowser;
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

  header(name: string): string | undefined {
    if (isWatched(name) && !this.#watched[name]) return undefined;
    const value = this.message.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  headerCount(name: string): number {
    const raw = this.message.rawHeaders;
    let count = 0;
    for (let index = 0; index < raw.length; index += 2)
      if (raw[index]?.toLowerCase() === name) count++;
    return count;
  }

  get search(): URLSearchParams {
    // A target has no fragment, so all behind the path is the query.
    const query = this.message.url?.slice(this.path.length);
    return (this.#search ??= new URLSearchParams(query));
  }

  get path(): string {
    return pathOf(this.message);
  }

  get remoteAddress(): string {
    return this.#peers.addressOf(this.message);
  }
}
