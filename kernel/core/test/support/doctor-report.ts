import type { DaemonFacts, Finding } from "@gantry/plugin";

/** Answer of `GET /api/doctor`, as far as tests look at it. */
export interface DoctorReport extends Omit<DaemonFacts, "quarantine"> {
  quarantine: { count: number; items: { key: string }[] } | null;
  findings: Finding[];
}
