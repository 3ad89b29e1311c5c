import { isIP } from "node:net";
import { toAddressKind } from "./address-kind.ts";
import type { AddressKind } from "./address-kind.ts";
import type { Refusal, Rules } from "./policy.ts";
import {
  isListedPort,
  isListedSite,
  isLocalName,
  isNamedSite,
  normalizeHost,
} from "./site-list.ts";

/** Where Gantry itself is reachable, which no page may open. */
export interface GantryAddress {
  ports: ReadonlySet<number>;
  /** Normalised host names of its public address. */
  names: ReadonlySet<string>;
}

/** The part of the rules that restricts which addresses a profile may open. */
export type SiteRules = Pick<Rules, "sites" | "localPorts">;

/** An address that a name resolves to. */
export interface FoundAddress {
  address: string;
  kind: AddressKind;
}

/** Names of cloud metadata services. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  "instance-data",
  "instance-data.ec2.internal",
  "metadata",
  "metadata.azure.internal",
  "metadata.goog",
  "metadata.google.internal",
  "metadata.tencentyun.com",
]);

/** The same message in the guard and the egress. */
const GANTRY_ITSELF = "this is Gantry itself, which pages may not open";
const MAX_URL_LENGTH = 64 * 1024;

/** Judges a URL by its text, before its host is resolved. {@link judgeAddresses} may still refuse what it allows. */
export function judgeUrl(
  text: string,
  rules: SiteRules,
  gantry: GantryAddress,
): Refusal {
  if (text === "" || text === "about:blank") return null;
  if (text.length > MAX_URL_LENGTH) return "this URL is too long";
  if (!URL.canParse(text)) return "this is not a URL";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `pages of "${url.protocol}" are not allowed, only http: and https:`;
  if (url.username !== "" || url.password !== "")
    return "a URL with a user name or password in it is not allowed";
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return judgeHost(url.hostname, port, rules, gantry);
}

/**
 * Judges the address of a document: as {@link judgeUrl}, except that a `blob:` belongs to its origin, and that empty
 * documents and the browser's error pages are allowed, since they have no external content.
 */
export function judgeDocumentUrl(
  text: string,
  rules: SiteRules,
  gantry: GantryAddress,
): Refusal {
  if (/^(about:(blank|srcdoc)|chrome-error:\/\/chromewebdata\/)/.test(text))
    return null;
  return judgeUrl(text.replace(/^blob:/, ""), rules, gantry);
}

/** Judges a host name or literal address with its port, by its text. */
export function judgeHost(
  rawHost: string,
  port: number,
  rules: SiteRules,
  gantry: GantryAddress,
): Refusal {
  const host = normalizeHost(rawHost);
  if (host === "") return "this address has no host";
  if (METADATA_NAMES.has(host))
    return `${host} is a metadata service of the machine`;
  if (gantry.names.has(host)) return GANTRY_ITSELF;
  if (isLocalName(host)) return judgeLocalPort(port, rules, gantry);
  if (isIP(host) !== 0) {
    const found = { address: host, kind: toAddressKind(host) };
    const isAllowedThere = judgeAddress(host, port, found, rules, gantry);
    if (isAllowedThere !== null || found.kind === "loopback")
      return isAllowedThere;
  }
  return isListedSite(rules.sites, host, port)
    ? null
    : `${host} is not among the sites that may be opened`;
}

/**
 * Judges the addresses that a name resolves to. One refused address refuses the name, since the browser would choose
 * among them.
 */
export function judgeAddresses(
  rawHost: string,
  port: number,
  found: readonly FoundAddress[],
  rules: SiteRules,
  gantry: GantryAddress,
): Refusal {
  const host = normalizeHost(rawHost);
  for (const each of found) {
    const refusal = judgeAddress(host, port, each, rules, gantry);
    if (refusal !== null) return refusal;
  }
  return found.length === 0 ? `${host} has no address` : null;
}

function judgeAddress(
  host: string,
  port: number,
  { address, kind }: FoundAddress,
  rules: SiteRules,
  gantry: GantryAddress,
): Refusal {
  switch (kind) {
    case "reserved":
      return `${address} is a link-local, metadata or reserved address`;
    case "loopback":
      if (gantry.ports.has(port)) return GANTRY_ITSELF;
      if (!isLocalName(host) && isIP(host) === 0)
        return `${host} is a name that leads to this machine; open it as localhost:${port}`;
      return judgeLocalPort(port, rules, gantry);
    case "private":
      return isNamedSite(rules.sites, host, port)
        ? null
        : `${host} leads to ${address}, an address of the local network; such sites are allowed only by their own name`;
    case "public":
      return null;
  }
}

function judgeLocalPort(
  port: number,
  { sites, localPorts }: SiteRules,
  gantry: GantryAddress,
): Refusal {
  if (gantry.ports.has(port)) return GANTRY_ITSELF;
  if (localPorts === "all" || localPorts.has(port)) return null;
  return isListedPort(sites, port)
    ? null
    : `port ${port} of this machine is not among the sites that may be opened (localhost:${port})`;
}
