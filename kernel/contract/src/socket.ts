import type { Caller, PathParameters, RequestHead } from "./route.ts";

/** One open WebSocket, after the gate let its upgrade through. */
export interface SocketPeer<Parameters = PathParameters> {
  /** Values of the parameters in the path, decoded. */
  readonly params: Parameters;
  /** Raw query parameters as sent, in order. */
  readonly search: URLSearchParams;
  /** The paired caller; `undefined` only with `access: "self"`. */
  readonly caller: Caller | undefined;
  /** Sends text or bytes; bytes that wait for a slow client count in {@link bufferedBytes}. */
  send(data: string | Uint8Array): void;
  /** Closes it, with 1005 unless a code is given. A client that does not answer within 1 s is cut off. */
  close(code?: number, reason?: string): void;
  /** Bytes that were sent and wait for a slow client. Stop sending while it grows; nothing else limits it. */
  readonly bufferedBytes: number;
}

/** A WebSocket endpoint. A hook that throws closes that one socket with 1011. */
export interface SocketDefinition<Path extends string = string> {
  /** Full path with parameters in braces, under one of the plugin's mounts. */
  path: Path;
  /** A few words for people: what it is for. */
  summary: string;
  /** As for a route. With a cookie, an upgrade must also carry our own Origin. */
  access: "session" | "self";
  /** For `access: "self"`: throws the plugin's 401 unless the credential is right, as for a route. */
  authorize?(
    head: RequestHead<PathParameters<NoInfer<Path>>>,
  ): void | Promise<void>;
  /**
   * Throws an error of the plugin's if there is nothing at this path, which is then the answer to the upgrade. Runs once
   * the caller is known to be allowed here.
   */
  admit?(
    head: RequestHead<PathParameters<NoInfer<Path>>>,
  ): void | Promise<void>;
  /** Largest message in bytes that a client may send; 64 KiB unless said. Over it the socket closes with 1009. */
  maxMessage?: number;
  /** Called when the socket is open, before any message. */
  open?(peer: SocketPeer<PathParameters<NoInfer<Path>>>): void | Promise<void>;
  /** Called for each message: a string for a text frame, bytes for a binary one. */
  message?(
    peer: SocketPeer<PathParameters<NoInfer<Path>>>,
    data: string | Uint8Array,
  ): void | Promise<void>;
  /** Called once when it has closed, by whichever side, with the close code (RFC 6455, 7.4). */
  close?(
    peer: SocketPeer<PathParameters<NoInfer<Path>>>,
    code: number,
  ): void | Promise<void>;
}
