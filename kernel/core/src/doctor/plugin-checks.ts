import type { Disposer, Log } from "@gantry/plugin";
import * as z from "zod";
import { within } from "@gantry/system/shutdown/deadline";
import { finding } from "./finding.ts";
import { Finding } from "./report.ts";

/** Returns what a plugin finds wrong. */
export type PluginCheck = () => Promise<readonly Finding[]>;

/** The checks that plugins have registered for the doctor. */
export interface PluginChecks {
  add(plugin: string, check: PluginCheck): Disposer;
  /** Runs all checks at once. A check that fails or takes too long costs no other its findings. */
  run(): Promise<Finding[]>;
}

/** Time for one check, so that the doctor answers soon whatever a plugin does. */
const CHECK_TIMEOUT_MS = 1_000;
const MAX_FINDINGS = 20;
const MAX_TEXT_LENGTH = 500;

const findings = z.array(
  z.object({
    severity: Finding.shape.severity,
    code: z.string().regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/),
    what: z.string().max(MAX_TEXT_LENGTH),
    fix: z.string().max(MAX_TEXT_LENGTH),
  }),
);

/** Creates an empty set of checks. */
export function createPluginChecks(
  logOf: (plugin: string) => Log,
): PluginChecks {
  const checks = new Set<{ plugin: string; check: PluginCheck }>();

  async function runOne(
    plugin: string,
    check: PluginCheck,
  ): Promise<Finding[]> {
    try {
      const found = await within(check(), { ms: CHECK_TIMEOUT_MS });
      return findings.parse(found).slice(0, MAX_FINDINGS);
    } catch (error) {
      logOf(plugin).error("Check for the doctor failed", {}, error);
      return [
        finding(
          "low",
          "PLUGIN_CHECK_FAILED",
          `The plugin "${plugin}" could not report its state.`,
          "Look at the log of the daemon; if it happens again, tell the plugin's author.",
        ),
      ];
    }
  }

  return {
    add(plugin, check) {
      const entry = { plugin, check };
      checks.add(entry);
      return () => void checks.delete(entry);
    },
    async run() {
      const found = await Promise.all(
        [...checks].map(({ plugin, check }) => runOne(plugin, check)),
      );
      return found.flat();
    },
  };
}
