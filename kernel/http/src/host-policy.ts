import { isIP } from "node:net";

/** The name that the UI lives on. Nothing else is ever served under it, so no other server gets its cookie. */
const CANONICAL_NAME = "gantry.localhost";

/** Addresses that stand for all of this machine, and are no name of it. */
const UNSPECIFIED: readonly string[] = ["0.0.0.0", "::"];

/** What a host name may be used for. `hook`: only for webhooks. */
export type HostRole = "ui" | "hook";

/** Under which names the daemon answers, and from which origins its own pages come. */
export type HostPolicy = ReturnType<typeof createHostPolicy>;

/** Where the daemon listens and what else it is called. */
export interface HostPolicyOptions {
  port: number;
  /** Address that it is bound to. */
  address: string;
  secure: boolean;
  /** `https://gantry.example.org`, if one is configured. */
  publicUrl?: string;
  /** Further names, with port if it is not the scheme's own. */
  hosts?: readonly string[];
  /** Names that serve webhooks and nothing else. */
  hookHosts?: readonly string[];
}

/** Makes the policy: exact strings in a set, nothing to outwit. */
export function createHostPolicy(options: HostPolicyOptions) {
  const scheme = options.secure ? "https" : "http";
  const isDefaultPort = options.port === (options.secure ? 443 : 80);
  const withPort = (name: string): string[] => [
    ...(isDefaultPort ? [name] : []),
    `${name}:${options.port}`,
  ];
  const loopback = new Set(
    [CANONICAL_NAME, "localhost", "127.0.0.1", "[::1]"].flatMap(withPort),
  );
  const roles = new Map<string, HostRole>();
  for (const host of options.hookHosts ?? [])
    roles.set(host.toLowerCase(), "hook");
  for (const host of options.hosts ?? []) roles.set(host.toLowerCase(), "ui");
  for (const host of loopback) roles.set(host, "ui");
  const bound = options.address.includes(":")
    ? `[${options.address}]`
    : options.address;
  if (!UNSPECIFIED.includes(options.address))
    for (const host of withPort(bound)) roles.set(host, "ui");
  const publicUrl = options.publicUrl ? new URL(options.publicUrl) : undefined;
  if (publicUrl) roles.set(publicUrl.host, "ui");

  const canonicalHost = withPort(CANONICAL_NAME)[0] ?? "";
  const canonicalOrigin = `${scheme}://${canonicalHost}`;
  return {
    /** The role of each value of a Host header, in lower case, that the daemon answers to. */
    roles: roles as ReadonlyMap<string, HostRole>,
    /** The same as a list. */
    names: [...roles].map(([name, role]) => ({ name, role })),
    /** Host names without port that lead to the daemon alone: none that means this whole machine, and no address. */
    ownNames: [...roles.keys()]
      .map((host) => URL.parse(`http://${host}`)?.hostname ?? "")
      .filter(
        (name) => !/^(localhost|\[.*\]|)$/.test(name) && isIP(name) === 0,
      ),
    /** Whether a Host is a loopback name or address. */
    isLoopback: (host: string) => loopback.has(host.toLowerCase()),
    /** Whether an Origin is that of our own page under this Host. */
    isOwnOrigin(origin: string, host: string): boolean {
      if (publicUrl && origin === publicUrl.origin) return true;
      return origin === `${scheme}://${host.toLowerCase()}`;
    },
    /** Whether what is sent to this Host is encrypted on its way: by the daemon, or by what stands before its public URL. */
    isEncrypted: (host: string): boolean =>
      options.secure ||
      (publicUrl?.protocol === "https:" &&
        host.toLowerCase() === publicUrl.host),
    /** `http://gantry.localhost:7420`. */
    canonicalOrigin,
    /** Where programs on this machine find the daemon: an address that needs no name to be resolved. */
    localOrigin: `${scheme}://${withPort("127.0.0.1")[0]}`,
    /** Where another device finds the daemon: under its public URL if there is one. */
    publicOrigin: publicUrl?.origin ?? canonicalOrigin,
    /** Origin of `publicUrl`, if the configuration has one. */
    configuredOrigin: publicUrl?.origin,
    /** Host part of the canonical origin. */
    canonicalHost,
  };
}
