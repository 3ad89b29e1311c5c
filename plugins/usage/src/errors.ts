import { defineErrors } from "@gantry/plugin";

export const errors = defineErrors({
  USAGE_RANGE_INVALID: {
    status: 400,
    title: "That is no range of days",
    detail:
      '"from" must not be after "to", and the range must not be longer than 732 days, by the hour 14.',
  },
});
