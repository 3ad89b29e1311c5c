import type { OpenPorts } from "./open-ports.ts";

/** Ports that are never opened, for a daemon that nobody is to reach. */
export function createClosedPorts(): OpenPorts {
  return {
    port: 0,
    addresses: [],
    certificate: undefined,
    serve() {},
    hold() {},
    stopAccepting() {},
    close: () => Promise.resolve(),
  };
}
