import type { PluginContext } from "@gantry/plugin";
import type { Audit } from "./audit.ts";

const ACTION = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/;

/** The `ctx.audit` of one plugin. @param checkAlive Throws when the plugin has stopped. */
export function createPluginAudit(
  audit: Pick<Audit, "record" | "note">,
  checkAlive: () => void,
): PluginContext["audit"] {
  return async (action, details, { summed = false } = {}) => {
    checkAlive();
    if (!ACTION.test(action))
      throw new TypeError(
        `The audit action "${action}" is not of the form area.past-tense.`,
      );
    if (summed) audit.note(action, details);
    else await audit.record(action, details);
  };
}
