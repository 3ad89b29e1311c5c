import { errors } from "../errors.ts";

/** The `{id}` of a terminal. */
export const terminalId = {
  id: { prefix: "trm", missing: errors.TERMINAL_NOT_FOUND },
};
