import { describeError } from "@gantry/plugin";
import type { ReplacementResult } from "@gantry/plugin";
import type { Audit } from "@gantry/system/audit/audit";
import type { PendingReplacement } from "./replacement-files.ts";
import { createReplacementSteps } from "./replacement-steps.ts";
import type { ReplacedStore, StepsHost } from "./replacement-steps.ts";

/** Dependencies of {@link carryOut}. */
export interface CarryOutHost extends StepsHost {
  audit: Pick<Audit, "record">;
}

/** How a replacement ended. */
export interface CarriedOut extends ReplacementResult {
  /** Whether there is another `config.json` now. */
  bringsConfig: boolean;
}

/**
 * Brings a stored replacement to its end: to what is staged, or back to what was there before if that fails.
 *
 * @param signal Stops it between two steps; it goes on the next time.
 * @throws what keeps it from going either way; it is then tried again the next time
 */
export async function carryOut(
  host: CarryOutHost,
  pending: PendingReplacement,
  store: ReplacedStore,
  signal?: AbortSignal,
): Promise<CarriedOut> {
  const { restore, clock, log, audit } = host;
  const { mode, note, plugin } = pending;
  const steps = await createReplacementSteps(host, pending, store);
  let { failure } = pending;
  if (failure === null) {
    try {
      await steps.forward(signal);
    } catch (error) {
      signal?.throwIfAborted();
      log.error("The home could not be replaced", { mode }, error);
      failure = describeError(error);
      // On a full disk it is not noted: whatever interrupts the way back, the next try begins with the way forward again.
      await restore
        .writePending({ ...pending, failure })
        .catch((fault: unknown) => log.error("Failure not noted", {}, fault));
    }
  }
  if (failure !== null) await steps.back();
  const result = { at: clock.timestamp(), mode, note, failure };
  await restore.writeResult(result).catch(async (fault: unknown) => {
    log.error("Result of the replacement not stored", {}, fault);
    await restore.removeResult();
  });
  await restore.removePending();
  await audit.record("home.replaced", {
    plugin,
    mode,
    note: JSON.stringify(note),
    failure,
  });
  return { ...result, bringsConfig: failure === null && steps.bringsConfig };
}
