import { defineErrors } from "@gantry/plugin";

/** Everything that an operation of this plugin can refuse. A code is never renamed or used for something else. */
export const errors = defineErrors({
  MY_PLUGIN_TITLE_TAKEN: {
    status: 409,
    title: "Title taken",
    detail:
      'There is a my thing with the title "{title}" already; choose another title.',
  },
});
