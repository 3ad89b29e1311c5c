import type { Clock } from "@gantry/plugin";
import type { ProtocolConnection } from "../protocol/protocol-connection.ts";

const RETRY_MS = 1_000;
const MAX_RETRIES = 10;

/** Events after which a page that is still open can be closed. */
const LOADED =
  /^Page\.(frameNavigated|frameStoppedLoading|loadEventFired|lifecycleEvent)$/;

/**
 * Closes a page, repeatedly until it is gone. Resolves then, or when the browser has ended. Chromium confirms the close
 * of a page that is loading and keeps it open; so it is closed again at each load event and each second.
 *
 * @param sessionId A session of the page that `Page.enable` was sent to.
 */
export async function closeTarget(
  protocol: ProtocolConnection,
  clock: Pick<Clock, "after">,
  targetId: string,
  sessionId: string,
): Promise<void> {
  const gone = Promise.withResolvers<void>();
  let retries = 0;
  let stopTimer = () => {};
  const close = () =>
    protocol.post("Target.closeTarget", { targetId }, undefined, () => {});
  const retry = () => {
    close();
    if (++retries < MAX_RETRIES) stopTimer = clock.after(RETRY_MS, retry);
  };
  const stop = protocol.onEvent(({ method, params, sessionId: from }) => {
    if (from === sessionId && LOADED.test(method)) close();
    if (
      (method === "Target.targetDestroyed" && params.targetId === targetId) ||
      (method === "Target.detachedFromTarget" && params.sessionId === sessionId)
    )
      gone.resolve();
  });
  protocol.post("Page.stopLoading", {}, sessionId, () => {});
  retry();
  await Promise.race([gone.promise, protocol.closed]);
  stop();
  stopTimer();
}
