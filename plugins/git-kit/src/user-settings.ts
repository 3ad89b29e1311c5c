import type { GitCaller } from "./call-git.ts";
import type { ConfigEntry } from "./config-text.ts";
import { userVariables } from "./forced-settings.ts";
import { OWN_VIEW } from "./git-views.ts";

/** Settings of the user and the system that say what git runs beside itself. */
const KEYS = "^(core\\.hookspath|commit\\.gpgsign)$";

/** Reads settings of the user and the system, outside of every repository. */
export async function readUserSettings(
  caller: GitCaller,
): Promise<ConfigEntry[]> {
  const { stdout } = await caller.attempt(
    "/",
    ["config", "--null", "--get-regexp", KEYS],
    OWN_VIEW,
    { encoding: "latin1" },
    { environment: userVariables(process.env) },
  );
  return stdout
    .split("\0")
    .map((entry) => /^([a-z]+)\.([a-z]+)(?:\n(.*))?$/s.exec(entry))
    .filter((match) => match !== null)
    .map(([, section = "", key = "", value = null]) => ({
      section,
      subsection: undefined,
      key,
      value,
    }));
}
