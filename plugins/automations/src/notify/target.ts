import { isGantryError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { errors } from "../errors.ts";

/** Tells whether an address to notify may be called; what it resolves to is looked at when it is. */
export type CheckTarget = (url: string, path: string) => Promise<void>;

/** An automation that sets off another one would go round in a circle. */
const WEBHOOK = /\/(api\/automations\/[^/]+\/fire|-\/hook\/[^/]+\/[^/]+)\/?$/;
const ABORTED = AbortSignal.abort();

/**
 * Makes the check for addresses that are to be stored or called.
 *
 * @returns rejects with `NOTIFY_TARGET_REFUSED` at the path of a field
 */
export function createTargetCheck(fetch: PluginContext["fetch"]): CheckTarget {
  return async (url, path) => {
    const refuse = (reason: string) => {
      const issue = { path, message: reason };
      throw errors.NOTIFY_TARGET_REFUSED({ reason }, { errors: [issue] });
    };
    if (WEBHOOK.test(new URL(url).pathname))
      refuse("it is the webhook of an automation");
    try {
      // The guard looks at the address first and then at the signal, so that nothing is sent.
      await fetch(url, { signal: ABORTED });
    } catch (error) {
      if (isGantryError(error) && error.code === "OUTBOUND_REFUSED")
        refuse(error.message.replace(/^.*?: |\.$/g, ""));
    }
  };
}
