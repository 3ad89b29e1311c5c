import { isGantryError } from "@gantry/plugin";
import type { GantryError, Log } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { RegisteredApp } from "../registry/registered-app.ts";

/** Errors that go to the client as they are: our own, and those of the store, which mean the same for every caller. */
const PASSED_ON: Readonly<Record<string, number>> = {
  APP_PAGE_NOT_FOUND: 404,
  APP_REFUSED: 409,
  APP_VIEW_INVALID: 502,
  STORAGE_FULL: 507,
  STORAGE_UNAVAILABLE: 503,
};
const MAX_REASON = 500;

/** The call that an app did not answer. */
export interface FailedCall {
  registered: RegisteredApp;
  kind: string;
  requestId: string;
  log: Log;
}

/**
 * What a client gets for something that an app threw: an app may refuse in its own words, with an error of its plugin's
 * table and a status below 500. Anything else is logged, and nothing of it is sent.
 */
export function toRefusal(thrown: unknown, call: FailedCall): GantryError {
  const { id, owner } = call.registered;
  const { plugin } = owner;
  try {
    if (isGantryError(thrown)) {
      const { code, status, message } = thrown;
      if (Object.hasOwn(PASSED_ON, code) && PASSED_ON[code] === status)
        return thrown;
      if (status >= 400 && status < 500) {
        const values = { id, reason: String(message).slice(0, MAX_REASON) };
        return status === 404
          ? errors.APP_PAGE_NOT_FOUND(values)
          : errors.APP_REFUSED(values);
      }
    }
  } catch {
    // It has the name of one of ours and not the shape.
  }
  logFault(thrown, call);
  return errors.APP_FAILED({ id, plugin, requestId: call.requestId });
}

function logFault(
  thrown: unknown,
  { registered: { id, owner }, kind, requestId, log }: FailedCall,
): void {
  const fields = { app: id, plugin: owner.plugin, kind, requestId };
  try {
    log.error("App failed", fields, thrown);
  } catch {
    log.error("App failed", fields, "it threw a value that has no text");
  }
}
