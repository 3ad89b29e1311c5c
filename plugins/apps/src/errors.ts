import { defineErrors } from "@gantry/plugin";

/** Everything that an operation of this plugin can refuse. */
export const errors = defineErrors({
  APP_NOT_FOUND: {
    status: 404,
    title: "No such app",
    detail: "There is no app {id}; list them with GET /api/apps.",
  },
  APP_PAGE_NOT_FOUND: {
    status: 404,
    title: "The app has no such page",
    detail: "The app {id} refused: {reason}",
  },
  APP_REFUSED: {
    status: 409,
    title: "The app refused the request",
    detail: "The app {id} refused: {reason}",
  },
  APP_TAKEN: {
    status: 409,
    title: "The id of the app is taken",
    detail:
      "There is an app {id} already, of the plugin {plugin}; choose another id.",
  },
  APP_TOO_MANY: {
    status: 409,
    title: "The plugin has too many apps",
    detail:
      "The plugin {plugin} has {limit} apps already, which is the most that a plugin may have.",
  },
  APP_ORDER_UNKNOWN: {
    status: 400,
    title: "The order is invalid",
    detail: "{reason}; list the apps with GET /api/apps.",
  },
  APP_VIEW_INVALID: {
    status: 502,
    title: "The app's answer is invalid",
    detail:
      "The app {id} of the plugin {plugin} gave what cannot be shown: {field}: {reason}.",
  },
  APP_FAILED: {
    status: 502,
    title: "The app failed",
    detail:
      "The app {id} of the plugin {plugin} failed. The log of the daemon tells why, under the request {requestId}.",
  },
  APP_TIMEOUT: {
    status: 502,
    title: "The app took too long",
    detail:
      "The app {id} of the plugin {plugin} did not answer within {seconds} s. Try again, or look into the log of the daemon.",
  },
  APP_UNAVAILABLE: {
    status: 503,
    title: "The app is gone",
    detail:
      "The app {id} did not answer, because its plugin {plugin} stopped meanwhile.",
  },
  APP_ACTION_UNSUPPORTED: {
    status: 400,
    title: "The app has no actions",
    detail: "The app {id} takes no actions.",
  },
});
