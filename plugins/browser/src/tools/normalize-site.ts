import { isIP } from "node:net";
import { isLocalName, normalizeHost } from "../fence/site-list.ts";

/** A host name with an optional port; labels as in DNS, underscores included. */
const HOST =
  /^(?<any>\*\.)?(?<host>\[[\da-f:.]+\]|[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?)(?::(?<port>\d{1,5}))?$/;
/** Characters that end the host in a URL; without this check a path would be dropped silently. */
const NO_HOST = /[\s/?#@%\\]/u;
const MAX_PORT = 65_535;

/**
 * Normalises a site as policies list it: `example.com`, `*.example.com`, `*`, `localhost:3000`.
 *
 * @returns `undefined` for anything else, such as a site of this machine without a port
 */
export function normalizeSite(text: string): string | undefined {
  const trimmed = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/\/$/, "");
  if (trimmed === "*") return "*";
  if (NO_HOST.test(trimmed)) return undefined;
  const { any = "", name } = split(trimmed);
  const ascii = name === undefined ? undefined : toAscii(name);
  const groups =
    ascii === undefined ? undefined : HOST.exec(`${any}${ascii}`)?.groups;
  if (!groups) return undefined;
  const { host = "", port } = groups;
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= MAX_PORT))
    return undefined;
  const plain = normalizeHost(host);
  if (plain === "" || (any !== "" && isIP(plain) !== 0)) return undefined;
  if (isLocalName(plain) || plain === "127.0.0.1" || plain === "::1")
    return any === "" && port !== undefined
      ? `localhost:${Number(port)}`
      : undefined;
  const shown = plain.includes(":") ? `[${plain}]` : plain;
  return `${any}${shown}${port === undefined ? "" : `:${Number(port)}`}`;
}

function split(text: string): { any?: string; name?: string } {
  return text.startsWith("*.")
    ? { any: "*.", name: text.slice(2) }
    : { name: text };
}

/** Internationalised names are listed in ASCII, as they are sent over the network. */
function toAscii(name: string): string | undefined {
  const [, host = "", port = ""] = /^(.*?)(:\d+)?$/u.exec(name) ?? [];
  if (host.startsWith("[")) return name;
  const ascii = normalizeHost(host);
  return ascii === "" ? undefined : `${ascii}${port}`;
}
