import { defineErrors } from "@gantry/plugin";

/** Everything that an operation of this plugin can refuse. */
export const errors = defineErrors({
  APP_NOT_FOUND: {
    status: 404,
    title: "No such app",
    detail: "There is no app {id}; list them with GET /api/apps.",
  },
  APP_TAKEN: {
    status: 409,
    title: "The id of the app is taken",
    detail:
      "There is an app {id} already, of the plugin {plugin}; choose another id.",
  },
  APP_ORDER_UNKNOWN: {
    status: 400,
    title: "No such app",
    detail: "The order names {id}, which is no app, or twice.",
  },
  APP_VIEW_INVALID: {
    status: 502,
    title: "The app's page does not fit",
    detail: "The app {id} gave a page that cannot be drawn: {field}: {reason}.",
  },
  APP_FAILED: {
    status: 502,
    title: "The app failed",
    detail: "The app {id} failed: {reason}",
  },
  APP_TIMEOUT: {
    status: 502,
    title: "The app took too long",
    detail:
      "The app {id} did not answer within {seconds} s; try again, or look into the log of its plugin {plugin}.",
  },
  APP_ACTION_UNSUPPORTED: {
    status: 400,
    title: "The app has no actions",
    detail: "The app {id} takes no actions.",
  },
});
