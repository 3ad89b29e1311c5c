import { defineErrors } from "@gantry/plugin";

/** Errors of replacing a home. */
export const errors = defineErrors({
  HOME_REPLACEMENT_PENDING: {
    status: 409,
    title: "Already being replaced",
    detail:
      "The home is already being replaced; wait until that has finished and try again.",
  },
});
