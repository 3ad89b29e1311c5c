import { domainToASCII } from "node:url";
import { toAddressKind } from "@gantry/plugin";

/** Normalises a host for comparison: lower case, ASCII, without brackets and without the trailing dot. */
export function normalizeHost(host: string): string {
  const plain = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  return plain.includes(":") ? plain : domainToASCII(plain);
}

/** Whether a normalised host means this machine, whatever a name server says. */
export function isThisMachine(host: string): boolean {
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    toAddressKind(host) === "loopback"
  );
}

/** Whether a list of sites contains a normalised host with a port; `*` and `*.example.com` included. */
export function isListed(
  sites: readonly string[],
  host: string,
  port: number,
): boolean {
  return sites.some((site) => {
    const entry = parseSite(site);
    if (entry.port !== undefined && entry.port !== port) return false;
    if (entry.name === "*") return true;
    if (entry.name.startsWith("*.")) return host.endsWith(entry.name.slice(1));
    return entry.name !== "" && entry.name === host;
  });
}

/** Whether a list names a host itself, so that it may be in a private network. */
export function isNamed(
  sites: readonly string[],
  host: string,
  port: number,
): boolean {
  return isListed(
    sites.filter((site) => !site.startsWith("*")),
    host,
    port,
  );
}

/** Whether a list names a host together with its port, which all of this machine needs. */
export function isNamedWithPort(
  sites: readonly string[],
  host: string,
  port: number,
): boolean {
  return isNamed(
    sites.filter((site) => parseSite(site).port !== undefined),
    host,
    port,
  );
}

function parseSite(site: string): { name: string; port: number | undefined } {
  const [, name = "", port] = /^(.*?)(?::(\d+))?$/.exec(site) ?? [];
  return {
    name: name.startsWith("*") ? name : normalizeHost(name),
    port: port === undefined ? undefined : Number(port),
  };
}
