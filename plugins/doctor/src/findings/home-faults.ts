import { finding, when } from "./finding.ts";
import type { Circumstances } from "./finding.ts";
import type { Seen, Finding } from "../report.ts";

const MIB = 1024 * 1024;

export function homeFaults({ exposed, home }: Seen): Finding[] {
  const isOpen = exposed.some(({ path }) => path === home);
  return exposed.map(({ path, mode, problem }) => {
    if (problem === "open")
      return finding(
        // Others cannot reach it through a home that is closed.
        isOpen ? "high" : "low",
        "HOME_OPEN",
        `${path} is open to other users (mode ${mode}).`,
        `Close it: chmod go-rwx ${quoted(path)}`,
      );
    if (problem === "foreign")
      return finding(
        "high",
        "HOME_FOREIGN",
        `${path} belongs to another user.`,
        `Make it yours: sudo chown "$(id -un)" ${quoted(path)}`,
      );
    if (problem === "link")
      return finding(
        "high",
        "HOME_LINK",
        `${path} is a link and may lead anywhere.`,
        "Put the file itself there.",
      );
    return finding(
      "medium",
      "HOME_ABOVE_OPEN",
      `Others can write to ${path} (mode ${mode}) and so put another home in the place of ${home}.`,
      `Close it: chmod go-w ${quoted(path)}`,
    );
  });
}

export function dataFaults({ storage, quarantine, audit }: Seen): Finding[] {
  const free = storage.freeBytes ?? Infinity;
  const count = quarantine?.count ?? 0;
  return [
    ...when(
      storage.problem !== null,
      "high",
      "STORE_DAMAGED",
      `The store cannot be read: ${storage.problem}.`,
      "Put a copy of it in its place, or move it away to start with an empty one.",
    ),
    ...when(
      free < 16 * MIB,
      "high",
      "DISK_FULL",
      `The disk of the home is full: ${Math.round(free / MIB)} MiB are left.`,
      "Free some space; until then little more than deletions is written.",
    ),
    ...when(
      free >= 16 * MIB && free < 512 * MIB,
      "medium",
      "DISK_LOW",
      `The disk of the home has only ${Math.round(free / MIB)} MiB left.`,
      "Free some space.",
    ),
    ...when(
      count > 0,
      "medium",
      "RECORDS_QUARANTINED",
      count === 1
        ? "A record could not be read. It is left as it is, with a copy in quarantine."
        : `${count} records could not be read. They are left as they are, with copies in quarantine.`,
      "Restore or delete them in the settings under Security; the version of Gantry that wrote them reads them as they are.",
    ),
    ...when(
      (storage.tooNew ?? 0) > 0,
      "medium",
      "RECORDS_TOO_NEW",
      `${storage.tooNew === 1 ? "A record was" : `${storage.tooNew} records were`} written by a later version of Gantry and left alone.`,
      "Start the later version again; until then they are missing from lists.",
    ),
    ...when(
      audit.state === "broken",
      "high",
      "AUDIT_BROKEN",
      `The audit log was changed by something other than the daemon: ${audit.problem}.`,
      "Find out what changed it; then move the folder `audit` out of the home while no daemon runs, and a new log begins.",
    ),
    ...when(
      audit.state !== "broken" && audit.problem !== null,
      "high",
      "AUDIT_UNWRITABLE",
      `The audit log misses entries. ${audit.problem}.`,
      "Free some space, or let the daemon write to the folder `audit` of its home.",
    ),
  ];
}

export function pluginFaults({ plugins }: Seen): Finding[] {
  return plugins.flatMap(({ id, state, reason, origin, faults }) => {
    const why = reason ? `: ${reason}` : "";
    return [
      ...when(
        state === "failed",
        "high",
        "PLUGIN_FAILED",
        `The plugin "${id}" does not run${why}.`,
        origin === "bundled"
          ? "Correct what it names, or leave it out with --plugins."
          : `Correct what it names, or take it out: gantry plugins remove ${id}`,
      ),
      ...when(
        state === "waiting",
        "low",
        "PLUGIN_WAITING",
        `The plugin "${id}" waits${why}.`,
        "It starts by itself once it has what it needs.",
      ),
      ...when(
        state !== "failed" && faults > 0,
        "low",
        "PLUGIN_FAULTS",
        `The plugin "${id}" did not catch ${faults === 1 ? "1 error" : `${faults} errors`} since the daemon started.`,
        "Look at the log, or at the app Logs, and tell the plugin's author; with 100 of them within a minute it is stopped.",
      ),
    ];
  });
}

export function surroundingFaults(
  { programs }: Seen,
  { environment = {}, isRoot = false }: Circumstances,
): Finding[] {
  const isMissing = (name: string) =>
    programs.some((program) => program.name === name && program.path === null);
  const agents = programs.filter(({ name }) => name !== "git" && name !== "gh");
  return [
    ...when(
      environment.NODE_TLS_REJECT_UNAUTHORIZED === "0",
      "high",
      "TLS_UNCHECKED",
      "NODE_TLS_REJECT_UNAUTHORIZED=0 is set, so the certificates of HTTPS servers are not checked.",
      "Take the variable out of the environment and start again.",
    ),
    ...when(
      isRoot,
      "medium",
      "RUNS_AS_ROOT",
      "It runs as root, and so does every agent.",
      "Run it as a user of its own.",
    ),
    ...when(
      isMissing("git"),
      "low",
      "GIT_MISSING",
      "git is not on PATH, so nothing is known of repositories.",
      "Install git.",
    ),
    ...when(
      agents.length > 0 && agents.every(({ path }) => path === null),
      "low",
      "NO_AGENT",
      "No program of a coding agent is on PATH or where installers put programs, only the practice agent.",
      `Install one: ${agents.map(({ name }) => name).join(", ")}; or name its place in settings.agents.clis.`,
    ),
  ];
}

/** For a shell, whatever is in it. */
const quoted = (path: string) =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
