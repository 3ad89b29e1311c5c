import type { Clock } from "@gantry/plugin";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import { errors } from "../errors.ts";

/** How long a browser may take to answer a call that waits for no page. */
export const MAX_ANSWER_MS = 30_000;

/**
 * Sends a call to a browser, which is ended if it does not answer within 30 s.
 *
 * @throws `BROWSER_UNRESPONSIVE` (504), and what `send` throws
 */
export async function sendInTime<Result>(
  browser: RunningBrowser,
  clock: Pick<Clock, "after">,
  method: string,
  params?: object,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const stopTimer = clock.after(MAX_ANSWER_MS, () => {
    late.reject(
      errors.BROWSER_UNRESPONSIVE({ seconds: MAX_ANSWER_MS / 1_000 }),
    );
    browser.abandon();
  });
  try {
    return await Promise.race([
      browser.protocol.send<Result>(method, params),
      late.promise,
    ]);
  } finally {
    stopTimer();
  }
}
