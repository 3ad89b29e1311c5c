import type { Row } from "../runner/row.ts";
import { exposure } from "./exposure.ts";

/** All rows, by the sections of the list of cases. */
export const sections: Readonly<Record<string, readonly Row[]>> = {
  "exposure and host": exposure,
};
