import type { PrivateGit } from "@gantry/git-kit";
import { toPathText } from "../repository/path-text.ts";
import {
  keepTree,
  readChanges,
  removeSnapshots,
  writeChanges,
  type RecordedChange,
} from "./checkpoint-records.ts";
import { listFiles } from "./compare-snapshots.ts";
import type { Snapshot, SnapshotStore } from "./snapshot-store.ts";

/** Files that are named of those that are not kept. */
const MAX_NOT_KEPT = 10;

/** What is recorded. */
export interface NewChange extends Pick<
  RecordedChange,
  | "id"
  | "kind"
  | "at"
  | "sharedWith"
  | "of"
  | "isPending"
  | "index"
  | "permissions"
  | "discard"
> {
  before: Snapshot;
  after: Snapshot;
}

/** Records what changed between two snapshots. @returns the record, `undefined` if nothing did */
export async function recordChange(
  git: PrivateGit,
  { places }: SnapshotStore,
  agentId: string,
  { before, after, ...about }: NewChange,
): Promise<RecordedChange | undefined> {
  const { repository } = places;
  // Of the index alone, where the trees are equal.
  if (after.tree === before.tree && !about.index?.length) {
    await removeSnapshots(repository, agentId, about.id);
    return undefined;
  }
  await keepTree(repository, agentId, about.id, "after", after.tree);
  const trees = { before: before.tree, after: after.tree };
  const files = await listFiles(git, places, trees);
  const sum = (key: "additions" | "deletions") =>
    files.reduce((total, file) => total + (file[key] ?? 0), 0);
  const notKept = new Set([...before.notKept, ...after.notKept]);
  const change: RecordedChange = {
    ...about,
    ...trees,
    files: files.length,
    additions: sum("additions"),
    deletions: sum("deletions"),
    undone: false,
    notKept: [...notKept].slice(0, MAX_NOT_KEPT).map(toPathText),
  };
  const changes = await readChanges(repository, agentId);
  await writeChanges(repository, agentId, [...changes, change], about.at);
  return change;
}
