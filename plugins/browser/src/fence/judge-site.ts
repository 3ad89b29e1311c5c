import { toAddressKind } from "@gantry/plugin";
import type { ConnectAddress } from "@gantry/plugin";
import type { GantryAddress, Refusal } from "./rules.ts";
import {
  isListed,
  isNamed,
  isNamedWithPort,
  isThisMachine,
  normalizeHost,
} from "./site-list.ts";

const GANTRY_ITSELF = "this is Gantry itself, which pages may not open";
const MAX_URL_LENGTH = 64 * 1024;

/** The host of a URL; empty for what {@link judgeUrl} refuses without looking at the host. */
export function hostOf(url: string): string {
  return url.length > MAX_URL_LENGTH ? "" : (URL.parse(url)?.hostname ?? "");
}

/** Judges a URL by its text, before its host is looked up. {@link judgeAddresses} may still refuse what it allows. */
export function judgeUrl(
  text: string,
  sites: readonly string[],
  gantry: GantryAddress,
): Refusal {
  if (text === "" || text === "about:blank") return null;
  if (text.length > MAX_URL_LENGTH) return "this URL is too long";
  const url = URL.parse(text);
  if (!url) return "this is not a URL";
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `pages of "${url.protocol}" are not allowed, only http: and https:`;
  if (url.username !== "" || url.password !== "")
    return "a URL with a user name or password in it is not allowed";
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return judgeHost(url.hostname, port, sites, gantry);
}

/**
 * Judges the address of a document as {@link judgeUrl} does, except that a `blob:` belongs to its origin, and that empty
 * documents and Chromium's error pages are allowed, since they hold nothing of a site.
 */
export function judgeDocumentUrl(
  text: string,
  sites: readonly string[],
  gantry: GantryAddress,
): Refusal {
  if (/^(about:srcdoc$|chrome-error:\/\/chromewebdata\/)/.test(text))
    return null;
  return judgeUrl(text.replace(/^blob:/, ""), sites, gantry);
}

/** Judges a host, a name or an address, with its port, by its text. */
export function judgeHost(
  rawHost: string,
  port: number,
  sites: readonly string[],
  gantry: GantryAddress,
): Refusal {
  const host = normalizeHost(rawHost);
  if (host === "") return "this address has no host";
  if (gantry.names.has(host)) return GANTRY_ITSELF;
  if (isThisMachine(host)) return judgeLocal("localhost", port, sites, gantry);
  const kind = toAddressKind(host);
  if (kind !== undefined && kind !== "public")
    return judgeNonPublic(host, port, { address: host, kind }, sites);
  return isListed(sites, host, port)
    ? null
    : `${host} is not among the sites that may be opened`;
}

/**
 * Judges the addresses that a host leads to. One refused address refuses the host, since any of them may be dialled.
 * The kernel has refused Gantry and metadata before.
 */
export function judgeAddresses(
  rawHost: string,
  port: number,
  addresses: readonly ConnectAddress[],
  sites: readonly string[],
  gantry: GantryAddress,
): Refusal {
  const host = normalizeHost(rawHost);
  for (const found of addresses) {
    const refusal =
      found.kind === "public"
        ? null
        : found.kind === "private"
          ? judgeNonPublic(host, port, found, sites)
          : judgeLocal(
              isThisMachine(host) ? "localhost" : host,
              port,
              sites,
              gantry,
            );
    if (refusal !== null) return refusal;
  }
  return addresses.length === 0 ? `${host} has no address` : null;
}

function judgeNonPublic(
  host: string,
  port: number,
  { address, kind }: { address: string; kind: string },
  sites: readonly string[],
): Refusal {
  if (kind === "metadata") return `${address} is a link-local address`;
  return isNamed(sites, host, port)
    ? null
    : `${host === address ? host : `${host} leads to ${address}, which`} is not public; such sites are opened only where they are listed by their own name`;
}

/** Judges a port of this machine, under its name `localhost` or under another name that leads to it. */
function judgeLocal(
  host: string,
  port: number,
  sites: readonly string[],
  gantry: GantryAddress,
): Refusal {
  if (gantry.ports.has(port)) return GANTRY_ITSELF;
  return isNamedWithPort(sites, host, port)
    ? null
    : `port ${port} of this machine is not among the sites that may be opened (${host}:${port})`;
}
