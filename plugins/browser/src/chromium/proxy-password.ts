import type { Clock } from "@gantry/plugin";
import { closeTarget } from "./close-target.ts";
import type { ProtocolConnection } from "../protocol/protocol-connection.ts";

/** An address that the proxy never opens: the request only makes the proxy ask for its password. */
const PROBE_URL = "http://gantry-egress.invalid/";
const PROXY_USER = "gantry";

/**
 * Gives Chromium the password of its proxy, which it remembers while it runs. The password keeps other programs of this
 * machine from using the proxy.
 */
export async function presentProxyPassword(
  protocol: ProtocolConnection,
  clock: Pick<Clock, "after">,
  password: string,
): Promise<void> {
  const { targetId } = await protocol.send<{ targetId: string }>(
    "Target.createTarget",
    { url: "about:blank", newWindow: true },
  );
  const { sessionId } = await protocol.send<{ sessionId: string }>(
    "Target.attachToTarget",
    { targetId, flatten: true },
  );
  const loaded = Promise.withResolvers<void>();
  const stop = protocol.onEvent((event) => {
    if (event.sessionId !== sessionId) return;
    if (event.method === "Page.loadEventFired") loaded.resolve();
    const { requestId, authChallenge } = event.params as {
      requestId?: string;
      authChallenge?: { source?: string };
    };
    const answer = (method: string, params: object) =>
      protocol.post(method, { requestId, ...params }, sessionId, () => {});
    if (event.method === "Fetch.requestPaused")
      answer("Fetch.continueRequest", {});
    if (event.method === "Fetch.authRequired")
      answer("Fetch.continueWithAuth", {
        authChallengeResponse:
          authChallenge?.source === "Proxy"
            ? { response: "ProvideCredentials", username: PROXY_USER, password }
            : { response: "CancelAuth" },
      });
  });
  try {
    await protocol.send("Page.enable", {}, sessionId);
    await protocol.send(
      "Fetch.enable",
      { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] },
      sessionId,
    );
    await protocol.send("Page.navigate", { url: PROBE_URL }, sessionId);
    // A page that is closed while it loads may stay open.
    await Promise.race([loaded.promise, protocol.closed]);
  } finally {
    stop();
    // Awaited, so that no code takes the page for a tab.
    await closeTarget(protocol, clock, targetId, sessionId);
  }
}
