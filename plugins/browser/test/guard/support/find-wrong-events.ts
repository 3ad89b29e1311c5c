import type { toVisibleEvent } from "../../../src/guard/visible-event.ts";
import { TIERS } from "../../../src/records/schemas.ts";
import type { Tier } from "../../../src/records/schemas.ts";

const SECRETS = {
  associatedCookies: [{ cookie: { value: "s3cret" } }],
  cookies: ["s3cret"],
  headersText: "Cookie: s3cret",
  postData: "s3cret",
  postDataEntries: [{ bytes: "s3cret" }],
  requestHeaders: { Cookie: "s3cret" },
  requestHeadersText: "Cookie: s3cret",
  headers: { "Set-Cookie": "s3cret" },
};

/** An event, the lowest tier that receives it, and the lowest that receives all of it. */
const EVENTS: [method: string, tier: Tier | undefined, whole?: Tier][] = [
  ["DOM.setChildNodes", "read"],
  ["Page.frameNavigated", "read"],
  ["Target.attachedToTarget", "read"],
  ["Target.detachedFromTarget", "read"],
  ["Target.receivedMessageFromTarget", undefined],
  ["Target.targetCreated", undefined],
  ...[
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Network.loadingFinished",
    "Network.loadingFailed",
    "Network.dataReceived",
    "Network.requestServedFromCache",
  ].map((method): [string, Tier, Tier] => [method, "act", "full"]),
  ["Network.requestWillBeSentExtraInfo", "full"],
  ["Network.responseReceivedExtraInfo", "full"],
  ["Network.webSocketFrameReceived", "full"],
  ["Network.anythingNew", "full"],
  ["Fetch.requestPaused", "full"],
  ["Runtime.consoleAPICalled", "full"],
  ["Debugger.scriptParsed", "full"],
  ["Storage.cacheStorageListUpdated", "full"],
  ["Anything.new", "full"],
];

/** Compares the events that agents receive with what they have to be. Returns a line for each that is another. */
export function findWrongEvents(convert: typeof toVisibleEvent): string[] {
  const wrong: string[] = [];
  for (const [method, lowest, whole = lowest] of EVENTS)
    for (const tier of TIERS) {
      const params = {
        ...{ requestId: "1", request: { url: "http://a.test/", ...SECRETS } },
        list: [{ redirectResponse: { status: 302, ...SECRETS } }],
      };
      const event = { method, sessionId: "1", params };
      const seen = convert(event, tier);
      const has = (needed: Tier | undefined) =>
        needed !== undefined && TIERS.indexOf(tier) >= TIERS.indexOf(needed);
      const stripped = {
        ...{ requestId: "1", request: { url: "http://a.test/", headers: {} } },
        list: [{ redirectResponse: { status: 302, headers: {} } }],
      };
      const expected = has(whole)
        ? event
        : has(lowest)
          ? { ...event, params: stripped }
          : undefined;
      const [got, wanted] = [seen, expected].map((each) =>
        JSON.stringify(each),
      );
      if (got !== wanted) wrong.push(`${method} at ${tier}: ${got}`);
    }
  return wrong;
}
