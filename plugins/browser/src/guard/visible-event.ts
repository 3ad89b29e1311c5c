import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import type { Tier } from "../records/schemas.ts";
import { hasTier } from "./judge-call.ts";

/** The lowest tier that receives the events of a domain; those of all other domains are for `full`. */
const DOMAIN_TIERS: ReadonlyMap<string, Tier> = new Map([
  ...[
    ...["Accessibility", "CSS", "DOM", "Inspector", "Log", "Page"],
    ...["Performance", "Target"],
  ].map((domain): [string, Tier] => [domain, "read"]),
  ["Network", "act"],
]);
/** Events about the frames and workers of a page; the others carry messages of sessions that are not flat, or other targets. */
const TARGET_EVENTS: ReadonlySet<string> = new Set([
  "Target.attachedToTarget",
  "Target.detachedFromTarget",
]);
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
  "headersText",
  "postData",
  "postDataEntries",
  "requestHeaders",
  "requestHeadersText",
]);

/** An event as an agent may see it; `undefined` for one that it may not see. */
export function toVisibleEvent(
  event: ProtocolEvent,
  tier: Tier,
): ProtocolEvent | undefined {
  const { method, params } = event;
  const domain = method.slice(0, method.indexOf("."));
  if (!hasTier(tier, DOMAIN_TIERS.get(domain) ?? "full")) return undefined;
  if (domain === "Target" && !TARGET_EVENTS.has(method)) return undefined;
  if (domain !== "Network" || hasTier(tier, "full")) return event;
  if (!NETWORK_EVENTS.has(method)) return undefined;
  return { ...event, params: withoutSecrets(params) as typeof params };
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SECRET_MEMBERS.has(name))
      .map(([name, child]) => [
        name,
        // Drivers expect this member.
        name === "headers" ? {} : withoutSecrets(child),
      ]),
  );
}
