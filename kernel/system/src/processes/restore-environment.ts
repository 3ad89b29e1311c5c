import { parseJson } from "../parse-json.ts";

/**
 * Variable in which whatever starts the daemon keeps what it has changed of the user's environment: a JSON object of
 * names and former values, `null` for variables that were not there.
 */
const VARIABLE = "GANTRY_USER_ENVIRONMENT";

/** Gives an environment back what the user's had before the daemon's own start changed it for itself. */
export function restoreEnvironment(environment: NodeJS.ProcessEnv): void {
  const text = environment[VARIABLE];
  delete environment[VARIABLE];
  const former = parseJson(text ?? "");
  if (typeof former !== "object" || former === null) return;
  for (const [name, value] of Object.entries(former))
    if (value === null) delete environment[name];
    else if (typeof value === "string") environment[name] = value;
}
