import { once } from "node:events";
import type { DaemonCheck, Log } from "@gantry/plugin";
import * as z from "zod";
import { finding } from "./findings/finding.ts";
import { Finding } from "./report.ts";

/** Time for one check, so that the doctor answers soon whatever a plugin does. */
const CHECK_TIMEOUT_MS = 1_000;
const MAX_FINDINGS = 20;
const MAX_TEXT_LENGTH = 500;

const findings = z.array(
  z.object({
    severity: Finding.shape.severity,
    code: z.string().regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/),
    what: z.string().max(MAX_TEXT_LENGTH),
    fix: z.string().max(MAX_TEXT_LENGTH),
  }),
);

/** Runs all checks at once. A check that fails or takes too long costs no other its findings. */
export async function runChecks(
  checks: readonly DaemonCheck[],
  log: Log,
): Promise<Finding[]> {
  // Not the daemon's clock: plugins take real time, whatever clock the daemon has.
  const limit = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const overdue = once(limit, "abort").then(() => limit.throwIfAborted());
  const found = await Promise.all(
    checks.map(async ({ plugin, run }) => {
      try {
        const given = await Promise.race([run(), overdue]);
        return findings.parse(given).slice(0, MAX_FINDINGS);
      } catch (error) {
        log.error("Check for the doctor failed", { plugin }, error);
        return finding(
          "low",
          "PLUGIN_CHECK_FAILED",
          `The plugin "${plugin}" could not report its state.`,
          "Look at the log of the daemon; if it happens again, tell the plugin's author.",
        );
      }
    }),
  );
  overdue.catch(() => {});
  return found.flat();
}
