import { expect, test } from "vitest";
import { toVisibleEvent } from "../../src/fence/guard/visible-event.ts";

const sent = {
  method: "Network.requestWillBeSent",
  sessionId: "1",
  params: {
    requestId: "1",
    request: { url: "http://a.test/", headers: { Cookie: "a" }, postData: "b" },
    redirectResponse: { status: 302, headers: { "Set-Cookie": "c" } },
  },
};

test("an agent below full receives network events without headers and bodies", () => {
  expect(toVisibleEvent(sent, "act")).toEqual({
    method: "Network.requestWillBeSent",
    sessionId: "1",
    params: {
      requestId: "1",
      request: { url: "http://a.test/", headers: {} },
      redirectResponse: { status: 302, headers: {} },
    },
  });
  expect(toVisibleEvent(sent, "full")).toEqual(sent);
});

test.each([
  "Network.requestWillBeSentExtraInfo",
  "Network.responseReceivedExtraInfo",
  "Network.webSocketWillSendHandshakeRequest",
  "Network.webSocketHandshakeResponseReceived",
  "Network.anythingNew",
])("%s is for full alone", (method) => {
  const event = { method, params: { headers: { Cookie: "a" } } };
  expect(toVisibleEvent(event, "act")).toBeUndefined();
  expect(toVisibleEvent(event, "full")).toEqual(event);
});

test("no tier receives the proxy password or sessions that are not flat", () => {
  const event = toVisibleEvent(
    {
      method: "Network.responseReceivedExtraInfo",
      params: {
        headers: { "Proxy-Authorization": "Basic secret", a: "b" },
        headersText: "A: b\r\nProxy-Authorization: Basic secret\r\nC: d\r\n",
      },
    },
    "full",
  );
  expect(event?.params).toEqual({
    headers: { a: "b" },
    headersText: "A: b\r\nC: d\r\n",
  });
  const nested = { method: "Target.receivedMessageFromTarget", params: {} };
  expect(toVisibleEvent(nested, "full")).toBeUndefined();
});
