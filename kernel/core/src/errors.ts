import { defineErrors } from "@gantry/plugin";
import { errors as httpErrors } from "@gantry/http/errors";
import { errors as storeErrors } from "@gantry/store/errors";
import { errors as systemErrors } from "@gantry/system/errors";
import { errors as wholeHomeErrors } from "@gantry/whole-home/errors";

/** Every error that the kernel itself answers. */
export const errors = defineErrors({
  ...httpErrors.definitions,
  ...storeErrors.definitions,
  ...systemErrors.definitions,
  ...wholeHomeErrors.definitions,
  PAIRING_REFUSED: {
    status: 401,
    title: "Pairing refused",
    detail:
      "The code is wrong, used or expired; make a new one with `gantry pair` or on a paired device.",
  },
  PAIRING_TOO_MANY: {
    status: 429,
    title: "Too many tries",
    detail: "Too many pairing tries; wait as long as Retry-After says.",
  },
  PLUGIN_INVALID: {
    status: 400,
    title: "Not a plugin",
    detail: "This is not a plugin that can be used: {reason}.",
  },
  PLUGIN_NOT_FOUND: {
    status: 404,
    title: "No such plugin",
    detail:
      'There is no plugin "{id}"; `gantry plugins list` shows those that there are.',
  },
  PLUGIN_STOPPED: {
    status: 503,
    title: "Plugin stopped",
    detail: 'The plugin "{id}" has stopped.',
  },
  PLUGIN_UNAVAILABLE: {
    status: 503,
    title: "Plugin not active",
    detail: 'The plugin "{id}" is {state}; GET /api/plugins tells why.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    title: "No such session",
    detail: "There is no such session; GET /api/auth/sessions lists them.",
  },
});
