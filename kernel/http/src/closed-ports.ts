import type { OpenPorts } from "./open-ports.ts";

/** Ports that are never opened, for a daemon that must not be reachable. */
export function createClosedPorts(): OpenPorts {
  return {
    port: 0,
    addresses: [],
    certificate: undefined,
    serve() {},
    serveEarly() {},
    hold() {},
    stopAccepting() {},
    close: () => Promise.resolve(),
  };
}
