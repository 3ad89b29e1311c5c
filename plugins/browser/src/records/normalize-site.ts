import { isIP } from "node:net";
import { isThisMachine, normalizeHost } from "../fence/site-list.ts";

/** Host with an optional port, optionally for all names below it. */
const SITE =
  /^(?<wildcard>\*\.)?(?<host>\[[\da-f:.]+\]|[^\s/?#@%\\:*[\]]+)(?::(?<port>\d{1,5}))?$/u;
const MAX_PORT = 65_535;

/**
 * Normalises a site as policies list it: `example.com`, `*.example.com`, `*`, `localhost:3000`. Names become lower case
 * and ASCII as in the URL standard; the scheme of an address that was pasted is dropped.
 *
 * A port of this machine is `localhost:PORT`, whichever name was typed.
 *
 * @returns `undefined` for anything else, such as a path, or a name of this machine without a port
 */
export function normalizeSite(text: string): string | undefined {
  const site = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//u, "")
    .replace(/\/$/u, "");
  if (site === "*") return site;
  const { wildcard = "", host = "", port } = SITE.exec(site)?.groups ?? {};
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/u, "");
  // Such as `..`, which the URL standard takes for a host.
  if (!name || name.split(".").includes("")) return undefined;
  if (port !== undefined && (Number(port) < 1 || Number(port) > MAX_PORT))
    return undefined;
  const suffix = port === undefined ? "" : `:${Number(port)}`;
  if (isThisMachine(normalizeHost(name)))
    return wildcard === "" && suffix !== "" ? `localhost${suffix}` : undefined;
  const isAddress = isIP(name.replace(/^\[(.*)\]$/u, "$1")) !== 0;
  return isAddress && wildcard !== ""
    ? undefined
    : `${wildcard}${name}${suffix}`;
}
