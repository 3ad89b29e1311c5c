import { createHash } from "node:crypto";
import { isIdentifier } from "@gantry/plugin";
import type { ListedSnapshot } from "../archive/list-snapshots.ts";
import { snapshotParts } from "../archive/snapshot-parts.ts";
import type { BackupProblem, Snapshot } from "../contract.ts";
import type { errors } from "../errors.ts";
import type { VerificationMark } from "./verification-mark.ts";

const PREFIX = "snap";
/** Something of it is not what was written; all else says nothing against its content. */
const CORRUPT = "BACKUP_SNAPSHOT_CORRUPT" satisfies keyof typeof errors;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const RANDOM_LENGTH = 24;
const STAMP = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/;

/** The view of a snapshot that is listed, as it is known without opening it. */
export function toSnapshot(
  { path, name, manifest, problem }: ListedSnapshot,
  mark: VerificationMark,
): Snapshot {
  if (!manifest) return toUnreadable(path, name, toProblem(problem, name));
  return {
    id: isIdentifier(PREFIX, manifest.id) ? manifest.id : toSnapshotId(name),
    createdAt: manifest.createdAt,
    path,
    reason: manifest.reason,
    ownBytes: manifest.ownBytes,
    contentBytes: manifest.contentBytes,
    records: manifest.records,
    files: manifest.files.count,
    parts: snapshotParts(manifest),
    leftOut: manifest.leftOut,
    isEncrypted: manifest.isEncrypted,
    hasTranscripts: manifest.hasTranscripts,
    hasSecrets: manifest.hasSecrets,
    gantryVersion: manifest.gantryVersion,
    plugins: manifest.plugins,
    standing: standingOf(mark),
    verifiedAt: mark.verifiedAt,
    problem: mark.problem,
    otherHome: null,
  };
}

/** An id for a snapshot whose own is not known: always the same for the same folder. */
export function toSnapshotId(name: string): string {
  const digest = createHash("sha256").update(name).digest();
  const letters = [...digest.subarray(0, RANDOM_LENGTH)].map(
    (byte) => ALPHABET[byte & 31],
  );
  return `${PREFIX}_${letters.join("")}`;
}

/** When the folder of a snapshot was named. */
function toTime(name: string): string {
  const [, day, hour, minute, second, ms] = STAMP.exec(name) ?? [];
  const time = `${day}T${hour}:${minute}:${second}.${ms}Z`;
  return day && !Number.isNaN(Date.parse(time))
    ? time
    : new Date(0).toISOString();
}

function toProblem(
  { code, message }: { code: string; message: string },
  name: string,
): BackupProblem {
  // It was so all the time, as far as anyone knows; a time of its own would change with each look.
  return { code, message, at: toTime(name) };
}

function toUnreadable(
  path: string,
  name: string,
  problem: BackupProblem,
): Snapshot {
  return {
    id: toSnapshotId(name),
    createdAt: toTime(name),
    path,
    reason: "scheduled",
    ownBytes: 0,
    contentBytes: 0,
    records: 0,
    files: 0,
    parts: [],
    leftOut: 0,
    isEncrypted: false,
    hasTranscripts: false,
    hasSecrets: false,
    gantryVersion: "",
    plugins: {},
    standing: standingOf({ verifiedAt: null, problem }),
    verifiedAt: null,
    problem,
    otherHome: null,
  };
}

function standingOf({
  verifiedAt,
  problem,
}: VerificationMark): Snapshot["standing"] {
  if (problem?.code === CORRUPT) return "damaged";
  return problem === null && verifiedAt !== null ? "proven" : "not-proven";
}
