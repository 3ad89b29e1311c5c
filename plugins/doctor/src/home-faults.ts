import type { Finding } from "@gantry/plugin";
import type { ExaminedFacts } from "./contract.ts";
import { finding, when } from "./finding.ts";

const MIB = 1024 * 1024;

/** What is wrong with the permissions of the home. */
export function homeFaults({ exposed, home }: ExaminedFacts): Finding[] {
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

/** What is wrong with the disk, the store and the audit log. */
export function dataFaults({
  storage,
  quarantine,
  audit,
}: ExaminedFacts): Finding[] {
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

/** Quotes a path for a shell. */
const quoted = (path: string) =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
