import { accessFaults, daemonFaults, networkFaults } from "./daemon-faults.ts";
import type { Circumstances } from "./finding.ts";
import {
  dataFaults,
  homeFaults,
  pluginFaults,
  surroundingFaults,
} from "./home-faults.ts";
import { severities } from "../report.ts";
import type { Seen, Finding } from "../report.ts";

/**
 * Concludes from what was seen what is not as it should be, the worst first.
 *
 * @param reported What plugins found.
 */
export function findFaults(
  facts: Seen,
  circumstances: Circumstances = {},
  reported: readonly Finding[] = [],
): Finding[] {
  const findings = [
    ...daemonFaults(facts, circumstances),
    ...networkFaults(facts),
    ...accessFaults(facts),
    ...homeFaults(facts),
    ...dataFaults(facts),
    ...pluginFaults(facts),
    ...surroundingFaults(facts, circumstances),
    ...reported,
  ];
  return severities.flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  );
}
