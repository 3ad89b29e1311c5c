import { describeError } from "@gantry/plugin";
import type { ReplacementResult } from "@gantry/plugin";
import type { Audit } from "@gantry/audit/audit";
import type { PendingReplacement } from "./replacement-files.ts";
import { createReplacementSteps } from "./replacement-steps.ts";
import type { ReplacedStore, StepsHost } from "./replacement-steps.ts";

/** Dependencies of {@link carryOut}. */
export interface CarryOutHost extends StepsHost {
  audit: Pick<Audit, "record">;
}

/** The result of a replacement. */
export interface CarriedOut extends ReplacementResult {
  /** Whether `config.json` was replaced. */
  bringsConfig: boolean;
}

/**
 * Completes a stored replacement: the staged content is put in place, or the earlier content is restored if that fails.
 *
 * @param signal Stops between two steps; the next call continues.
 * @throws an error if neither direction is possible; the next call tries again
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
      // On a full disk the failure is not recorded: if the rollback is interrupted, the next try starts forward again.
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
