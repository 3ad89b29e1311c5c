import type { Caller, RequestHead } from "./route.ts";

/** One open WebSocket, after the gate let its upgrade through. */
export interface SocketPeer {
  readonly params: Readonly<Record<string, string>>;
  readonly search: URLSearchParams;
  readonly caller: Caller | undefined;
  /** Sends text or bytes; bytes that wait for a slow client count in {@link bufferedBytes}. */
  send(data: string | Uint8Array): void;
  close(code?: number, reason?: string): void;
  readonly bufferedBytes: number;
}

/** A WebSocket endpoint. A hook that throws closes that one socket with 1011. */
export interface SocketDefinition {
  /** Full path with parameters in braces, under one of the plugin's mounts. */
  path: string;
  summary: string;
  /** As for a route. With a cookie, an upgrade must also carry our own Origin. */
  access: "session" | "self";
  authorize?(head: RequestHead): void | Promise<void>;
  /**
   * Throws an error of the plugin's if there is nothing at this path, which is then the answer to the upgrade. Runs once
   * the caller is known to be allowed here.
   */
  admit?(head: RequestHead): void | Promise<void>;
  /** Largest message in bytes that a client may send; 64 KiB unless said. Over it the socket closes with 1009. */
  maxMessage?: number;
  open?(peer: SocketPeer): void | Promise<void>;
  message?(peer: SocketPeer, data: string | Uint8Array): void | Promise<void>;
  close?(peer: SocketPeer, code: number): void | Promise<void>;
}
