import type { PathParameters } from "./path.ts";
import type { Caller, RequestHead } from "./route.ts";

/** An open WebSocket of an authorized client. */
export interface SocketPeer<Params = Readonly<Record<string, string>>> {
  /** Parameters of the path, decoded. */
  readonly params: Params;
  /** Raw query parameters. */
  readonly search: URLSearchParams;
  /** The paired caller; `undefined` only with `access: "self"`. */
  readonly caller: Caller | undefined;
  /** Queues text or bytes. Unsent bytes are counted by {@link bufferedBytes}. */
  send(data: string | Uint8Array): void;
  /** Closes the socket. */
  close(code?: number, reason?: string): void;
  /** Number of bytes that are queued and not sent yet. */
  readonly bufferedBytes: number;
}

/** A WebSocket endpoint. If a hook throws, its socket is closed with 1011. */
export interface SocketDefinition<Path extends string = string> {
  /** Full path with parameters in braces, under one of the plugin's mounts. */
  path: Path;
  /** A few words for the reference. */
  summary: string;
  /** As for a route. An upgrade request with a cookie must also have the daemon's own Origin. */
  access: "session" | "self";
  /** As for a route. */
  authorize?(head: RequestHead<PathParameters<Path>>): void | Promise<void>;
  /** Runs after authorization. An error that it throws, such as a 404, is the response to the upgrade request. */
  admit?(head: RequestHead<PathParameters<Path>>): void | Promise<void>;
  /** Maximum size in bytes of a message from the client; defaults to 64 KiB. A larger one closes the socket with 1009. */
  maxMessage?: number;
  /** Called when the socket is open. */
  open?(peer: SocketPeer<PathParameters<Path>>): void | Promise<void>;
  /** Called for each message of the client: text as a string, anything else as bytes. */
  message?(
    peer: SocketPeer<PathParameters<Path>>,
    data: string | Uint8Array,
  ): void | Promise<void>;
  /** Called when the socket is closed, by either side. */
  close?(
    peer: SocketPeer<PathParameters<Path>>,
    code: number,
  ): void | Promise<void>;
}
