import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import type { Log } from "@gantry/plugin";
import * as z from "zod";
import { replaceFile } from "@gantry/plugin/files";
import type { Home } from "@gantry/system/home/home";
import { ConfigError, UserError } from "@gantry/system/user-error";
import { pathOf } from "./http-request.ts";
import { startListening } from "./listener.ts";
import type {
  Certificate,
  Handlers,
  Listening,
  ListenOptions,
} from "./listener.ts";
import { findPortOwner } from "./port-owner.ts";
import { openReplacedCertificates } from "./replaced-certificates.ts";

/** Ports that are tried, from the default one on, if the configuration names none. */
const PORTS_TRIED = 10;

const LOOPBACK = new Set(["127.0.0.1", "localhost", "::1"]);

/** Time that answers to requests that were held back get before the start continues, which takes the processor. */
const FIRST_ANSWERS_MS = 500;

/** Where the daemon listens, as its configuration says. */
export interface PortSettings {
  host: string;
  port: number;
  /** Whether the port was asked for; one that was not may be another if it is taken. */
  portIsGiven: boolean;
  /** `true` makes a certificate; with paths of files it is read. */
  https: boolean | { cert: string; key: string };
  /** Takes requests of other machines without HTTPS. */
  insecure: boolean;
}

/** Open ports that hold requests back until {@link OpenPorts.serve}. */
export interface OpenPorts extends Listening {
  /**
   * Answers requests. Those to a path that `isHeld` names are held back until this is called without it. Resolves when the
   * others that were held back until now have their answers, or after a moment.
   */
  serve(handlers: Handlers, isHeld?: (path: string) => boolean): Promise<void>;
  /** Holds requests that come from now on back again, until {@link serve}. */
  hold(): void;
}

/**
 * Listens as configured: on this machine only, or on another address with HTTPS (or with `insecure` without).
 *
 * @throws ConfigError; UserError if the port is taken
 */
export async function openPorts(
  config: PortSettings,
  home: Home,
  isProxy: (address: string) => boolean,
  log: Log,
): Promise<OpenPorts> {
  const isLocal = LOOPBACK.has(config.host);
  if (!isLocal && !config.https && !config.insecure) {
    throw new ConfigError(
      `Listening on ${config.host} without HTTPS would show every request to the network; ` +
        "add --https, or --insecure if something in front of it encrypts.",
    );
  }
  /** What requests that are held back wait for. */
  let serving = Promise.withResolvers<Handlers>();
  const held = new Set<ServerResponse>();
  const handlers = holdBack(held, serving.promise);

  const listening = await listenOnFreePort(config, {
    addresses: isLocal ? ["127.0.0.1", "::1"] : [config.host],
    certificate: await readCertificate(config, home, log),
    isUnlimited: isProxy,
    handlers,
  });
  if (config.https === true && listening.certificate) {
    await keepCertificate(home, listening.certificate).catch(
      async (error: unknown) => {
        await listening.close();
        throw error;
      },
    );
  }
  let closing: Promise<void> | undefined;
  return {
    ...listening,
    close: () => (closing ??= listening.close()),
    async serve(to, isHeld) {
      const before = serving;
      serving = Promise.withResolvers();
      const next = isHeld ? holdBack(held, serving.promise, isHeld, to) : to;
      const answered = [...held]
        .filter(({ req }) => !isHeld?.(pathOf(req)))
        .map(
          (response) =>
            new Promise((resolve) => response.once("close", resolve)),
        );
      before.resolve(next);
      // From now on a request that is not held back waits for no promise.
      Object.assign(handlers, next);
      const late = setTimeout(FIRST_ANSWERS_MS, undefined, { ref: false });
      await Promise.race([Promise.all(answered), late]);
    },
    hold: () => void Object.assign(handlers, holdBack(held, serving.promise)),
  };
}

/** Ports that are never opened, for a daemon that no client is to reach. */
export function createClosedPorts(): OpenPorts {
  return {
    port: 0,
    addresses: [],
    certificate: undefined,
    serve: () => Promise.resolve(),
    hold() {},
    stopAccepting() {},
    close: () => Promise.resolve(),
  };
}

/** Keeps it, so that browsers need to be told only once that it is to be trusted. */
async function keepCertificate(
  home: Home,
  certificate: Certificate,
): Promise<void> {
  const former = await readFile(home.certificate, "utf8").catch(() => "");
  // A damaged one was not replaced: a backup may bring it back.
  const isDamaged = former !== "" && !parse(former);
  await replaceFile(home.certificate, JSON.stringify(certificate));
  const replaced = await openReplacedCertificates(home.replacedCertificates);
  await replaced.use(certificate.cert, isDamaged);
}

/**
 * Handlers that hold requests back until there are others: all, or those to some paths while `to` answers the rest.
 *
 * @param held Gets the responses of those that are held back, until they are closed.
 */
function holdBack(
  held: Set<ServerResponse>,
  serving: Promise<Handlers>,
  isHeld: (path: string) => boolean = () => true,
  to?: Handlers,
): Handlers {
  const whoAnswers = (message: IncomingMessage) =>
    to && !isHeld(pathOf(message)) ? to : undefined;
  return {
    request(message, response) {
      const now = whoAnswers(message);
      if (now) return now.request(message, response);
      held.add(response);
      response.once("close", () => held.delete(response));
      return serving.then(({ request }) => request(message, response));
    },
    upgrade(message, socket, head) {
      const now = whoAnswers(message);
      if (now) return now.upgrade(message, socket, head);
      void serving.then(({ upgrade }) => upgrade(message, socket, head));
    },
  };
}

async function listenOnFreePort(
  config: PortSettings,
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
  config: PortSettings,
  home: Home,
  log: Log,
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
  if (kept === undefined) return "self-signed";
  const certificate = parse(kept);
  if (!certificate)
    log.warn(
      `${home.certificate} was damaged; a new certificate was made, which browsers have to be told to trust.`,
    );
  return certificate ?? "self-signed";
}

const pem = z.object({ key: z.string(), cert: z.string() });

/** A certificate that was kept, `undefined` if it is damaged. */
function parse(text: string): Certificate | undefined {
  try {
    const certificate = pem.parse(JSON.parse(text));
    createSecureContext(certificate);
    return certificate;
  } catch {
    return undefined;
  }
}
