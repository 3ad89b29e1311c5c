import { statfs } from "node:fs/promises";
import type { CommandInput, DaemonFacts } from "@gantry/plugin";
import { findExposed } from "./exposure.ts";
import { findFaults } from "./findings/find-faults.ts";
import { toQuarantined } from "./report.ts";
import type { DoctorReport, Finding, Seen } from "./report.ts";

/** Programs that parts of the daemon use when they are there. */
const PROGRAMS = ["git", "gh", "pi", "claude", "codex", "opencode", "gemini"];
const MAX_QUARANTINED = 50;

/** What there is beside the facts. */
export interface Surroundings extends Pick<CommandInput, "find"> {
  /** What plugins found. */
  reported?: readonly Finding[];
  stalls?: DoctorReport["stalls"];
  /** Whether a daemon is there that does not answer. */
  isSilent?: boolean;
}

/** Looks at a daemon, or at a home on which none runs, and concludes. To be called in the daemon, or where it would run. */
export async function examine(
  { configFault, secretPaths, quarantine, ...facts }: DaemonFacts,
  { find, reported, stalls = [], isSilent = false }: Surroundings,
): Promise<DoctorReport> {
  const programs = PROGRAMS.map(async (name) => ({
    name,
    path: (await find(name)) ?? null,
  }));
  const seen: Seen = {
    ...facts,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    listening: facts.listening.map((place) => ({
      ...place,
      reach: reachOf(place.address),
    })),
    exposed: await findExposed(facts.home, secretPaths),
    plugins: facts.plugins.map((plugin) => ({
      ...plugin,
      origin: plugin.origin === "builtin" ? "bundled" : "installed",
    })),
    programs: await Promise.all(programs),
    storage: { ...facts.storage, freeBytes: await freeBytesOf(facts.home) },
    quarantine: quarantine && {
      count: quarantine.length,
      items: quarantine.slice(0, MAX_QUARANTINED).map(toQuarantined),
    },
    audit: {
      ...facts.audit,
      latest: facts.audit.latest.map((entry) => ({
        ...entry,
        // What is undefined was never written.
        details: entry.details as Record<string, string | number | boolean>,
        again: entry.again ?? null,
      })),
    },
    stalls,
  };
  const circumstances = {
    configFault,
    isSilent,
    environment: process.env,
    isRoot: process.getuid?.() === 0,
  };
  return { ...seen, findings: findFaults(seen, circumstances, reported) };
}

/** Bytes that are free on the disk of a folder, `null` if it is not there. */
async function freeBytesOf(folder: string): Promise<number | null> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  );
}

/** Whether an address can be reached from this machine alone. */
const reachOf = (address: string) =>
  address === "::1" || address.startsWith("127.")
    ? "this machine"
    : "the network";
