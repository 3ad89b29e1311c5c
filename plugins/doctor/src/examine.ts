import type { DaemonFacts, KernelFacts } from "@gantry/plugin";
import type { DoctorReport, Exposed } from "./contract.ts";
import { findExposed } from "./find-exposed.ts";
import { findFaults } from "./find-faults.ts";

/** Reads the facts of a daemon or of a stopped home and concludes what is wrong. */
export async function examine(kernel: KernelFacts): Promise<DoctorReport> {
  const facts = await kernel.read();
  const [exposed, reported] = await Promise.all([
    findExposed(facts.home, facts.privatePaths),
    facts.daemon ? kernel.findings() : [],
  ]);
  const findings = findFaults({ ...facts, exposed }, reported);
  return { ...toReport(facts, exposed), findings };
}

/** The facts that the report shows, in the order in which it shows them. */
function toReport(
  facts: DaemonFacts,
  exposed: Exposed[],
): Omit<DoctorReport, "findings"> {
  const { node, platform, home, at, version, daemon } = facts;
  const { listening, tls, certificateEndsAt, names, mode, devices } = facts;
  const { programs, storage, quarantine, audit, stalls } = facts;
  const plugins = facts.plugins.map(({ uses: _, ...plugin }) => plugin);
  return {
    ...{ at, version, node, platform, home },
    daemon: daemon && {
      pid: daemon.pid,
      url: daemon.url,
      startedAt: daemon.startedAt,
    },
    ...{ listening, tls, certificateEndsAt, names, mode, devices, exposed },
    ...{ plugins, programs, storage, quarantine, audit, stalls },
  };
}
