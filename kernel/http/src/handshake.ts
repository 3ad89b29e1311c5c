import type { IncomingMessage } from "node:http";

/** 16 bytes in base64. */
const KEY = /^[\w+/]{22}==$/;

/**
 * Whether a request is the opening of a WebSocket (RFC 6455, 4.2.1). The library below would answer one that is not in
 * words of its own, and takes drafts of the protocol for it.
 */
export function isHandshake({ method, headers }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    headers["sec-websocket-version"] === "13" &&
    KEY.test(headers["sec-websocket-key"] ?? "")
  );
}
