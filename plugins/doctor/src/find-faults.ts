import type { Finding } from "@gantry/plugin";
import { accessFaults, daemonFaults, networkFaults } from "./daemon-faults.ts";
import type { ExaminedFacts } from "./contract.ts";
import { SEVERITIES } from "./finding.ts";
import { dataFaults, homeFaults } from "./home-faults.ts";
import { machineFaults, pluginFaults } from "./machine-faults.ts";

/**
 * Concludes from facts what is wrong, the most severe first.
 *
 * @param reported Findings of plugins.
 */
export function findFaults(
  facts: ExaminedFacts,
  reported: readonly Finding[] = [],
): Finding[] {
  const findings = [
    ...daemonFaults(facts),
    ...networkFaults(facts),
    ...accessFaults(facts),
    ...homeFaults(facts),
    ...dataFaults(facts),
    ...pluginFaults(facts),
    ...machineFaults(facts),
    ...reported,
  ];
  return SEVERITIES.flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  );
}
