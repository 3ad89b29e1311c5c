import type { Socket } from "node:net";
import type { ConnectAddress } from "@gantry/plugin";
import { toAddressKind } from "./address-kind.ts";
import type { AddressKind } from "./address-kind.ts";
import { isBackgroundName } from "./background-names.ts";
import type { Connect } from "./connect.ts";
import { judgeAddresses, judgeHost } from "./judge-site.ts";
import type { GantryAddress, SiteRules } from "./judge-site.ts";
import type { Refusal } from "./policy.ts";
import { isLocalName, normalizeHost } from "./site-list.ts";

/** Dependencies of a dialer. */
export interface DialerOptions {
  owner: "agent" | "user";
  /** Read for each connection, so that a change applies at once. */
  rules(): SiteRules;
  gantry(): GantryAddress;
  /** Rescans which ports the agent's own servers listen on; called before a port of this machine is refused. */
  refreshPorts?(): Promise<void>;
  connect: Connect;
}

/** A connection that was refused, or that failed. */
export class DialError extends Error {
  readonly isRefused: boolean;

  constructor(message: string, isRefused: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = "DialError";
    this.isRefused = isRefused;
  }
}

/** Opens the connections of one profile, each judged by its host name and by the addresses that are dialled. */
export interface Dialer {
  /** @throws DialError with the reason as text for the user */
  dial(host: string, port: number, signal: AbortSignal): Promise<Socket>;
  /** Judges by text alone, under the current rules. */
  judge(host: string, port: number): Refusal;
}

/** Creates a dialer. */
export function createDialer(options: DialerOptions): Dialer {
  const { owner, rules, gantry, connect } = options;

  function judge(rawHost: string, port: number): Refusal {
    const host = normalizeHost(rawHost);
    if (isBackgroundName(host, owner))
      return `${host} is asked by the browser itself, not by a page`;
    // Names of this kind never exist; resolving them only takes time.
    if (host.endsWith(".invalid")) return `${host} does not exist`;
    return judgeHost(host, port, rules(), gantry());
  }

  return {
    judge,
    async dial(rawHost, port, signal) {
      const host = normalizeHost(rawHost);
      let refusal = judge(host, port);
      if (refusal !== null && options.refreshPorts && mayBeLocal(host)) {
        await options.refreshPorts();
        refusal = judge(host, port);
      }
      if (refusal !== null) throw new DialError(refusal, true);
      let judged: Refusal = null;
      try {
        return await connect({
          // The system need not be able to resolve names below localhost.
          host: isLocalName(host) ? "localhost" : host,
          port,
          signal,
          judge: (addresses) =>
            (judged = judgeAddresses(
              host,
              port,
              addresses.map(({ address, kind }) => ({
                address,
                kind: toStricterKind(address, kind),
              })),
              rules(),
              gantry(),
            )),
        });
      } catch (error) {
        throw toDialError(host, port, judged, error);
      }
    },
  };
}

/** An address is public only if both tables agree. Only the kernel knows the machine's own addresses. */
function toStricterKind(
  address: string,
  kind: ConnectAddress["kind"],
): AddressKind {
  const known = toAddressKind(address);
  return known === "public" || kind === "loopback" ? kind : known;
}

function mayBeLocal(host: string): boolean {
  return isLocalName(host) || toAddressKind(host) === "loopback";
}

function toDialError(
  host: string,
  port: number,
  judged: Refusal,
  error: unknown,
): DialError {
  if (judged !== null) return new DialError(judged, true, error);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "OUTBOUND_REFUSED") return new DialError(message, true, error);
  const reason = FAILURES.get(code ?? "") ?? `it failed (${code ?? message})`;
  return new DialError(
    `${host}:${port} was not reached: ${reason}`,
    false,
    error,
  );
}

const FAILURES: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing listens there"],
  ["ENOTFOUND", "there is no such name"],
  ["EAI_AGAIN", "its name could not be looked up"],
  ["ETIMEDOUT", "it does not answer"],
  ["EHOSTUNREACH", "it is unreachable"],
  ["ENETUNREACH", "its network is unreachable"],
]);
