import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { ConnectAddress, PluginContext } from "@gantry/plugin";
import { acceptSocks } from "./accept-socks.ts";
import type { SocksRequest } from "./accept-socks.ts";

const MAX_CONNECTIONS = 512;

/** Network access of one browser: a SOCKS proxy on 127.0.0.1, through which it makes all its connections. */
export interface Egress {
  readonly port: number;
  /** Allows the host and port of an address even if they are on this machine or in a private network. */
  allowLocal(url: string): void;
  /** Closes the proxy with all its connections. */
  close(): Promise<void>;
}

/**
 * Opens the network access of one browser. Public addresses are reached; those of this machine and of private networks only
 * after `allowLocal`, so that a page of the internet cannot use the services there. `ctx.connect` refuses the daemon itself
 * and cloud metadata in any case.
 *
 * It has no password, since it lets other programs of this machine reach nothing that they do not reach without it.
 */
export async function openEgress(
  connect: PluginContext["connect"],
): Promise<Egress> {
  const allowed = new Set<string>();
  const sockets = new Set<Socket>();

  async function serve(client: Socket): Promise<void> {
    sockets.add(client);
    const gone = new AbortController();
    client.on("error", () => client.destroy());
    client.on("close", () => {
      sockets.delete(client);
      gone.abort();
    });
    const request = await acceptSocks(client);
    if (!request) return void client.destroy();
    const remote = await dial(request, gone.signal);
    // Chromium shows a page of its own.
    if (!remote) return request.refuse();
    remote.on("close", () => client.destroy());
    client.on("close", () => remote.destroy());
    if (client.destroyed) return void remote.destroy();
    request.accept();
    client.pipe(remote).pipe(client);
  }

  /** Connects to a host; `undefined` if it is refused or not reached. */
  async function dial(
    { host, port }: SocksRequest,
    signal: AbortSignal,
  ): Promise<Socket | undefined> {
    const judge = (addresses: readonly ConnectAddress[]) =>
      addresses.every(({ kind }) => kind === "public") ||
      allowed.has(toKey(host, port))
        ? null
        : "it is on this machine or in a private network, and was not opened as a tab";
    try {
      return await connect({ host, port, judge, signal });
    } catch {
      // A browser goes on asking while it is closed, when the plugin may not connect any more.
      return undefined;
    }
  }

  const server = createServer((client) => void serve(client));
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    allowLocal(url) {
      const { hostname, port, protocol } = new URL(url);
      allowed.add(
        toKey(hostname, Number(port || (protocol === "https:" ? 443 : 80))),
      );
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** One spelling of a host and port, with brackets around an IPv6 address. */
function toKey(host: string, port: number): string {
  return `${host.toLowerCase().replace(/\.$/, "")}:${port}`;
}
