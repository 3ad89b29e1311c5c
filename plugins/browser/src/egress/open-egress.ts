import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describeError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import type { Refusal } from "../fence/rules.ts";
import { acceptSocks } from "./accept-socks.ts";
import type { SocksRequest } from "./accept-socks.ts";
import { ConnectionJudge } from "./connection-judge.ts";
import type { ConnectionRules } from "./connection-judge.ts";

const MAX_CONNECTIONS = 512;

/** Network access of one browser: a SOCKS proxy on 127.0.0.1, through which it makes all its connections. */
export interface Egress {
  readonly port: number;
  /** Closes the connections that would be refused now; call it when the sites have changed. */
  review(): void;
  /** Closes the proxy with all its connections. */
  close(): Promise<void>;
}

/** A connection that was not made. */
export interface FailedConnection {
  host: string;
  port: number;
  isRefused: boolean;
  /** Why, as text for the user. */
  reason: string;
}

/** Dependencies of {@link openEgress}. */
export interface EgressOptions extends ConnectionRules {
  connect: PluginContext["connect"];
  /** Makes the sites those of this moment, before a connection to the host is judged; they always are if it is left out. */
  refresh?(host: string): Promise<void> | undefined;
  onFailed(failed: FailedConnection): void;
}

/**
 * Opens the network access of one browser. Each connection is judged by its host and by the addresses that are dialled,
 * whichever page, frame, worker or redirect it is for. `ctx.connect` refuses the daemon itself and cloud metadata in any
 * case.
 *
 * It has no password, since it lets other programs of this machine reach nothing that they do not reach without it.
 */
export async function openEgress(options: EgressOptions): Promise<Egress> {
  const judge = new ConnectionJudge(options);
  const clients = new Map<Socket, SocksRequest | undefined>();

  async function serve(client: Socket): Promise<void> {
    clients.set(client, undefined);
    const gone = new AbortController();
    client.on("error", () => client.destroy());
    client.on("close", () => {
      clients.delete(client);
      gone.abort();
    });
    const request = await acceptSocks(client);
    if (!request) return void client.destroy();
    // Before it is dialled, so that a review ends it in the meantime.
    clients.set(client, request);
    const remote = await dial(request, judge, options, gone.signal);
    // Chromium shows a page of its own.
    if (!remote) return request.refuse();
    remote.on("close", () => client.destroy());
    client.on("close", () => remote.destroy());
    if (client.destroyed) return void remote.destroy();
    request.accept();
    client.pipe(remote).pipe(client);
  }

  const server = createServer((client) => void serve(client));
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    review() {
      for (const [client, request] of clients)
        if (request && judge.judgeHost(request.host, request.port) !== null)
          client.destroy();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const client of clients.keys()) client.destroy();
      await closed;
    },
  };
}

/** Connects to a host; `undefined` if it is refused or not reached, which is reported. */
async function dial(
  { host, port }: SocksRequest,
  judge: ConnectionJudge,
  { connect, refresh, onFailed }: EgressOptions,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  await refresh?.(host);
  let refusal: Refusal = judge.judgeHost(host, port);
  if (refusal !== null) {
    onFailed({ host, port, isRefused: true, reason: refusal });
    return undefined;
  }
  try {
    return await connect({
      ...{ host, port, signal },
      judge: (addresses) =>
        (refusal = judge.judgeAddresses(host, port, addresses)),
    });
  } catch (error) {
    const { code = "" } = error as { code?: string };
    if (!signal.aborted)
      onFailed({
        ...{ host, port },
        isRefused: code === "OUTBOUND_REFUSED",
        reason: refusal ?? FAILURES.get(code) ?? describeError(error),
      });
    return undefined;
  }
}

const FAILURES: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing listens there"],
  ["EHOSTUNREACH", "it is unreachable"],
  ["ENETUNREACH", "its network is unreachable"],
  ["ENOTFOUND", "there is no such name"],
  ["EAI_AGAIN", "its name could not be looked up"],
  ["ETIMEDOUT", "it does not answer"],
]);
