import type { Finding, PluginContext } from "@gantry/plugin";
import type { BrowserConfig } from "../config.ts";
import { findOrphanedProfiles } from "./profiles.ts";
import { locateChromium } from "./read-status.ts";

/** Longest text of a finding. */
const MAX_TEXT_LENGTH = 500;
/** Folders that one finding names, since its length is limited. */
const MAX_NAMED = 5;

/** Checks the browser for the doctor. */
export async function diagnoseBrowser(
  run: PluginContext["run"],
  config: BrowserConfig,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { hint } = await locateChromium(run, config.command);
  if (hint !== null)
    findings.push({
      severity: "low",
      code: "BROWSER_MISSING",
      what: "The work browser has no Chromium to run; all else works without it.",
      fix: hint.slice(0, MAX_TEXT_LENGTH),
    });
  if (config.sandbox === "off")
    findings.push({
      severity: "high",
      code: "BROWSER_SANDBOX_OFF",
      what: "The work browser runs without its sandbox: a page that breaks out of it has the rights of the daemon.",
      fix: 'Remove settings.browser.sandbox: "off" and restart Gantry.',
    });
  const left = await findOrphanedProfiles();
  if (left.length > 0)
    findings.push({
      severity: "low",
      code: "BROWSER_PROFILES_LEFT",
      what: `Profiles of the work browser belong to homes that are gone: ${toShortList(left)}.`,
      fix: "Remove these folders, unless their home is on a disk that is not mounted.",
    });
  return findings;
}

function toShortList(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return (
    names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "")
  );
}
