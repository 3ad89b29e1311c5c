import { lookup } from "node:dns";
import { isIP } from "node:net";
import type { Agent as UndiciAgent } from "undici";
import { errors } from "../errors.ts";
import { refusalOf } from "./address-guard.ts";
import { isMetadataName } from "./metadata-names.ts";

/** Which targets `ctx.fetch` may reach. */
export interface OutboundOptions {
  /** Addresses of private networks may be called, as a chat server in the house is. */
  allowPrivate: boolean;
  /** Ports that the daemon itself listens on; it never calls itself. */
  ownPorts(): readonly number[];
}

/** A target that is allowed as far as its URL shows. */
export interface OutboundTarget {
  url: URL;
  /** Whether addresses of this machine are refused, since the daemon listens on this port. */
  refuseHere: boolean;
}

/** Checks targets, before and while they are connected to. */
export interface OutboundGuard {
  /** @throws `OUTBOUND_REFUSED` */
  parse(text: string): OutboundTarget;
  /** The agent that connects to a target; it rejects with `OUTBOUND_REFUSED` for an address that is not allowed. */
  agentFor(target: OutboundTarget): Promise<UndiciAgent>;
}

/** Creates the guard. The addresses that are connected to are checked, not those that a name resolved to before. */
export function createOutboundGuard(options: OutboundOptions): OutboundGuard {
  const agents = new Map<boolean, UndiciAgent>();

  function check(address: string, refuseHere: boolean): void {
    const reason = refusalOf(address, { ...options, refuseHere });
    if (reason) throw errors.OUTBOUND_REFUSED({ reason });
  }

  function parse(text: string): OutboundTarget {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !["http:", "https:"].includes(url.protocol)) {
      throw errors.OUTBOUND_REFUSED({
        reason: "it is no http or https address",
      });
    }
    if (url.username || url.password)
      throw errors.OUTBOUND_REFUSED({ reason: "it has a user name in it" });
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
    const refuseHere = options.ownPorts().includes(port);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // Its addresses are refused too, but outside of its cloud the name resolves to none, and the reason has to be clear.
    if (isMetadataName(host))
      throw errors.OUTBOUND_REFUSED({ reason: "its name is one for metadata" });
    if (isIP(host)) check(host, refuseHere);
    else if (/(^|\.)localhost\.?$/.test(host)) check("127.0.0.1", refuseHere);
    return { url, refuseHere };
  }

  /** Connections use exactly the addresses that were checked here, so a name with changing addresses gains nothing. */
  async function openAgent(refuseHere: boolean): Promise<UndiciAgent> {
    const { Agent } = await loadUndici();
    return new Agent({
      connect: {
        lookup(hostname, lookupOptions, callback) {
          lookup(
            hostname,
            { ...lookupOptions, all: true },
            (fault, addresses) => {
              if (fault) return callback(fault, []);
              try {
                for (const { address } of addresses) check(address, refuseHere);
                callback(null, addresses);
              } catch (error) {
                callback(error as Error, []);
              }
            },
          );
        },
      },
    });
  }

  return {
    parse,
    async agentFor({ refuseHere }) {
      const agent = agents.get(refuseHere) ?? (await openAgent(refuseHere));
      agents.set(refuseHere, agent);
      return agent;
    },
  };
}

/** Loaded for the first request. In a bundle, CommonJS has no exports but the default one. */
export const loadUndici = async () => (await import("undici")).default;
