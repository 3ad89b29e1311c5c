import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { writeFileAtomic } from "@gantry/system/files/atomic-file";
import { ConfigError, UserError } from "@gantry/system/user-error";
import type { Home } from "@gantry/system/home/home";
import { startListening } from "./listener.ts";
import type { Handlers, Listening, ListenOptions } from "./listener.ts";
import type { Certificate } from "./make-certificate.ts";
import { findPortOwner } from "./port-owner.ts";

/** Ports that are tried, from the default one on, if none was set. */
const PORTS_TRIED = 10;

const LOOPBACK = new Set(["127.0.0.1", "localhost", "::1"]);

/** What to listen on. */
export interface ListenSettings {
  host: string;
  port: number;
  /** Whether the port was set. If it was not and the default is taken, another one is used. */
  portIsGiven: boolean;
  https: boolean | { cert: string; key: string };
  /** Whether another address than loopback may be served without HTTPS. */
  insecure: boolean;
}

/** Open ports that hold requests back until there are handlers to answer them. */
export interface OpenPorts extends Omit<Listening, "servers"> {
  serve(handlers: Handlers): void;
  /** Serves only requests whose target is early; others, and sockets, are held back until {@link serve}. */
  serveEarly(
    handlers: Handlers,
    isEarly: (target: string | undefined) => boolean,
  ): void;
  /** Holds new requests back again, until {@link serve}. */
  hold(): void;
}

/**
 * Listens as configured: on this machine only, or on another address with HTTPS (or with `insecure` without).
 *
 * @throws ConfigError; UserError if the port is taken
 */
export async function openPorts(
  config: ListenSettings,
  home: Pick<Home, "certificate">,
  isProxy: (address: string) => boolean,
): Promise<OpenPorts> {
  const isLocal = LOOPBACK.has(config.host);
  if (!isLocal && !config.https && !config.insecure) {
    throw new ConfigError(
      `Listening on ${config.host} without HTTPS would show every request to the network; ` +
        "add --https, or --insecure if something in front of it encrypts.",
    );
  }
  let held = holdBack();
  const handlers: Handlers = { ...held.handlers };

  const listening = await listenOnFreePort(config, {
    addresses: isLocal ? ["127.0.0.1", "::1"] : [config.host],
    certificate: await readCertificate(config, home),
    isUnlimited: isProxy,
    handlers,
  });
  if (config.https === true && listening.certificate) {
    // Kept, so that a user has to accept it in a browser only once.
    await writeFileAtomic(
      home.certificate,
      JSON.stringify(listening.certificate),
    );
  }
  let closing: Promise<void> | undefined;
  return {
    ...listening,
    close: () => (closing ??= listening.close()),
    serve(to) {
      held.release(to);
      // From now on requests reach the handlers without a promise in between.
      Object.assign(handlers, to);
    },
    serveEarly(to, isEarly) {
      const before = held;
      const later = (held = holdBack());
      const early: Handlers = {
        request: (message, response) =>
          (isEarly(message.url) ? to : later.handlers).request(
            message,
            response,
          ),
        upgrade: later.handlers.upgrade,
      };
      before.release(early);
      Object.assign(handlers, early);
    },
    hold() {
      held = holdBack();
      Object.assign(handlers, held.handlers);
    },
  };
}

/** Handlers that hold requests and upgrades back until they are released to others. */
function holdBack(): { handlers: Handlers; release(to: Handlers): void } {
  let release: (handlers: Handlers) => void = () => {};
  const released = new Promise<Handlers>((resolve) => (release = resolve));
  return {
    release,
    handlers: {
      request: (message: IncomingMessage, response: ServerResponse) =>
        released.then((to) => to.request(message, response)),
      upgrade: (message: IncomingMessage, socket: Duplex, head: Buffer) =>
        void released.then((to) => to.upgrade(message, socket, head)),
    },
  };
}

async function listenOnFreePort(
  config: ListenSettings,
  { handlers, ...rest }: Omit<ListenOptions, "port"> & { handlers: Handlers },
): Promise<Listening> {
  const isFixed = config.portIsGiven && config.port !== 0;
  const tries = isFixed ? 1 : PORTS_TRIED;
  for (let attempt = 1; ; attempt++) {
    // With 0 the system chooses, and may choose one that is taken on the second address.
    const port = config.port === 0 ? 0 : config.port + attempt - 1;
    try {
      return await startListening({ ...rest, port }, handlers);
    } catch (error) {
      if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
      if (attempt < tries) continue;
      const owner = await findPortOwner(port);
      const range = isFixed
        ? `Port ${port} is`
        : `The ports ${config.port} to ${port} are`;
      throw new UserError(
        `${range} taken${owner ? ` by ${owner}` : ""}; choose another with --port.`,
      );
    }
  }
}

async function readCertificate(
  config: ListenSettings,
  home: Pick<Home, "certificate">,
): Promise<Certificate | "self-signed" | undefined> {
  if (config.https === false) return undefined;
  if (config.https !== true) {
    const { cert, key } = config.https;
    const read = (file: string) =>
      readFile(file, "utf8").catch((error: { code?: string }) => {
        throw new ConfigError(
          `The certificate file ${file} cannot be read: ${error.code ?? "unknown fault"}.`,
        );
      });
    return { cert: await read(cert), key: await read(key) };
  }
  const kept = await readFile(home.certificate, "utf8").catch(() => undefined);
  return kept === undefined ? "self-signed" : (JSON.parse(kept) as Certificate);
}
