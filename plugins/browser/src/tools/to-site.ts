import { isThisMachine, normalizeHost } from "../fence/site-list.ts";

/** The site of an address as a policy lists it; `undefined` if it is not an http or https address. */
export function toSite(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const host = normalizeHost(hostname);
  if (isThisMachine(host))
    return `localhost:${port || (protocol === "https:" ? "443" : "80")}`;
  return host.includes(":") ? `[${host}]` : host;
}
