import type { ProtocolEvent } from "../../protocol/protocol-connection.ts";
import { hasTier } from "../judge-call.ts";
import type { Tier } from "../policy.ts";

/** Network events that agents below `full` receive: what is loaded, and when. */
const NETWORK_EVENTS: ReadonlySet<string> = new Set([
  "Network.dataReceived",
  "Network.loadingFailed",
  "Network.loadingFinished",
  "Network.requestServedFromCache",
  "Network.requestWillBeSent",
  "Network.responseReceived",
]);
/** Members with cookies, keys and what users have typed. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  "associatedCookies",
  "cookies",
  "headers",
  "headersText",
  "postData",
  "postDataEntries",
  "requestHeaders",
  "requestHeadersText",
]);
/** Header with the password of the proxy. */
const PROXY_PASSWORD = /^proxy-authorization$/i;
const PROXY_PASSWORD_LINE = /^proxy-authorization:.*\r?\n?/gim;

/** An event as an agent may see it; `undefined` for one that it may not see. */
export function toVisibleEvent(
  event: ProtocolEvent,
  tier: Tier,
): ProtocolEvent | undefined {
  const { method, params } = event;
  // Messages inside sessions that are not flat would not be judged.
  if (method === "Target.receivedMessageFromTarget") return undefined;
  if (!method.startsWith("Network.")) return event;
  if (hasTier(tier, "full"))
    return { ...event, params: withoutPassword(params) as typeof params };
  if (!NETWORK_EVENTS.has(method)) return undefined;
  return { ...event, params: withoutSecrets(params) as typeof params };
}

function withoutSecrets(value: unknown): unknown {
  return mapMembers(value, (name, child) =>
    SECRET_MEMBERS.has(name)
      ? name === "headers"
        ? {}
        : undefined
      : withoutSecrets(child),
  );
}

function withoutPassword(value: unknown): unknown {
  return mapMembers(value, (name, child) => {
    if (PROXY_PASSWORD.test(name)) return undefined;
    return typeof child === "string" && name.toLowerCase().endsWith("text")
      ? child.replace(PROXY_PASSWORD_LINE, "")
      : withoutPassword(child);
  });
}

function mapMembers(
  value: unknown,
  map: (name: string, child: unknown) => unknown,
): unknown {
  if (Array.isArray(value))
    return value.map((child: unknown) => mapMembers(child, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, map(name, child)]),
  );
}
