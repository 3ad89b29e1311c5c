import { domainToASCII } from "node:url";

/** Normalises a host name for comparison: lower case, ASCII, without brackets and without the trailing dot. */
export function normalizeHost(host: string): string {
  const plain = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  return plain.includes(":") ? plain : domainToASCII(plain);
}

/** Whether a normalised name is a name of this machine: `localhost`, or below it. */
export function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

interface SiteEntry {
  name: string;
  /** `undefined` for every port. */
  port: number | undefined;
}

function parseEntry(entry: string): SiteEntry {
  const [, name = "", port] =
    /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.trim()) ?? [];
  const isPattern = name === "*" || name.startsWith("*.");
  return {
    name: isPattern ? name.toLowerCase() : normalizeHost(name),
    port: port === undefined ? undefined : Number(port),
  };
}

/**
 * Whether a list contains a public site: `example.com`, `*.example.com` for the names below it, `*` for all; each for
 * every port or for one (`example.com:8443`).
 */
export function isListedSite(
  sites: readonly string[],
  host: string,
  port: number,
): boolean {
  return sites.map(parseEntry).some((entry) => {
    if (entry.port !== undefined && entry.port !== port) return false;
    if (entry.name === "*") return true;
    if (entry.name.startsWith("*.")) return host.endsWith(entry.name.slice(1));
    return entry.name !== "" && entry.name === host;
  });
}

/** Whether a list names a host explicitly, so that it may be in a private network. */
export function isNamedSite(
  sites: readonly string[],
  host: string,
  port: number,
): boolean {
  return isListedSite(
    sites.filter((site) => !site.trim().startsWith("*")),
    host,
    port,
  );
}

/** Whether a list contains a port of this machine, which only `localhost:PORT` opens. */
export function isListedPort(sites: readonly string[], port: number): boolean {
  return sites
    .map(parseEntry)
    .some((entry) => entry.name === "localhost" && entry.port === port);
}
