import { errors } from "../errors.ts";

/** The path parameter of an automation. */
export const automationId = {
  prefix: "aut",
  missing: errors.AUTOMATION_NOT_FOUND,
};
