import type { Row } from "../runner/row.ts";
import { answers } from "./answers.ts";
import { authentication } from "./authentication.ts";
import { bodies } from "./bodies.ts";
import { crossOrigin } from "./cross-origin.ts";
import { exposure } from "./exposure.ts";
import { guessing } from "./guessing.ts";
import { parsing } from "./parsing.ts";
import { sockets } from "./sockets.ts";
import { webhook } from "./webhook.ts";

/** All rows, by the sections of the list of cases. */
export const sections: Readonly<Record<string, readonly Row[]>> = {
  "exposure and host": exposure,
  "requests from other origins": crossOrigin,
  sockets,
  "who is let in": authentication,
  guessing,
  webhook,
  parsing,
  bodies,
  answers,
};
