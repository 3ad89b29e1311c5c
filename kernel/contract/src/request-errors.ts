import { defineErrors } from "./errors.ts";

/**
 * Errors for a part of a request that no schema describes, such as a header. They are rows of the kernel's table, and
 * every operation may answer them, so a plugin need not list them.
 */
export const requestErrors = defineErrors({
  INPUT_INVALID: {
    status: 400,
    title: "Invalid input",
    detail: "The {part} does not fit: {summary}.",
  },
});
