import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "@gantry/plugin/files";
import * as z from "zod";
import { indexChangeSchema } from "../shipping/index-entries.ts";
import { MAX_AGE_MS, MAX_TURNS } from "./limits.ts";

const KINDS = ["turn", "restore", "discard"] as const;
const hash = z.string().regex(/^[0-9a-f]{40}$/);

const changeSchema = z.object({
  /** The turn, or a restore or a discard, which can be taken back like one. */
  id: z.string(),
  kind: z.enum(KINDS),
  at: z.iso.datetime(),
  before: hash,
  after: hash,
  files: z.number(),
  additions: z.number(),
  deletions: z.number(),
  /** Whether all its files are as they were before it, as far as restores made them so. */
  undone: z.boolean(),
  sharedWith: z.array(z.string()),
  /** Some of the files that are not kept, as texts of paths. */
  notKept: z.array(z.string()),
  /** Of a restore, the turn or the discard that it is about. */
  of: z.string().nullable(),
  /** Files are being written, or were when the daemon ended. */
  isPending: z.boolean().optional(),
  /** What was changed in the index of the user's repository. */
  index: z.array(indexChangeSchema).optional(),
  /** Permissions of files that were removed, by their path with one character for each byte. */
  permissions: z.record(z.string(), z.number()).optional(),
  /** Of a discard: the last commit then, and what was named, as texts of paths. */
  discard: z
    .object({
      head: z.string().nullable(),
      paths: z.array(z.string()),
      isHunk: z.boolean(),
    })
    .optional(),
});

/** What a turn, a restore or a discard changed in a folder: snapshots of before and after, of all its files or of those alone. */
export type RecordedChange = z.infer<typeof changeSchema>;

const recordsSchema = z.object({
  version: z.literal(1),
  changes: z.array(changeSchema),
});

/** What is recorded of an agent in one repository, oldest first. Nothing if it cannot be read. */
export async function readChanges(
  repository: string,
  agentId: string,
): Promise<RecordedChange[]> {
  try {
    const text = await readFile(fileOf(repository, agentId), "utf8");
    return recordsSchema.parse(JSON.parse(text)).changes;
  } catch {
    return [];
  }
}

/** Writes what is recorded of an agent, without what is too old, and removes the snapshots that it does not name. */
export async function writeChanges(
  repository: string,
  agentId: string,
  changes: readonly RecordedChange[],
  now: string,
): Promise<void> {
  const since = new Date(Date.parse(now) - MAX_AGE_MS).toISOString();
  const recent = changes.filter(({ at }) => at >= since);
  const kept = KINDS.flatMap((kind) =>
    recent.filter((change) => change.kind === kind).slice(-MAX_TURNS),
  );
  kept.sort((one, other) => one.at.localeCompare(other.at));
  const text = JSON.stringify({ version: 1, changes: kept });
  await replaceFile(fileOf(repository, agentId), text);
  const ids = new Set(kept.map(({ id }) => id));
  for (const { id } of changes)
    if (!ids.has(id)) await removeSnapshots(repository, agentId, id);
}

/** Keeps a tree from being pruned. */
export async function keepTree(
  repository: string,
  agentId: string,
  id: string,
  moment: "before" | "after",
  tree: string,
): Promise<void> {
  const folder = join(treesOf(repository, agentId), id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, moment), `${tree}\n`, { mode: 0o600 });
}

/** Lets go of the trees of a turn. */
export async function removeSnapshots(
  repository: string,
  agentId: string,
  id: string,
): Promise<void> {
  const path = join(treesOf(repository, agentId), id);
  await rm(path, { recursive: true, force: true });
}

/** Lets go of the trees of turns that are neither recorded nor running. @returns whether there were any */
export async function removeOtherSnapshots(
  repository: string,
  agentId: string,
  ids: ReadonlySet<string>,
): Promise<boolean> {
  const names = await readdir(treesOf(repository, agentId)).catch(() => []);
  const others = names.filter((id) => !ids.has(id));
  for (const id of others) await removeSnapshots(repository, agentId, id);
  return others.length > 0;
}

/** Notes that a repository has something of an agent. */
export async function addAgent(
  repository: string,
  agentId: string,
): Promise<void> {
  const text = JSON.stringify({ version: 1, changes: [] });
  await writeFile(fileOf(repository, agentId), text, {
    mode: 0o600,
    flag: "wx",
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** The agents that a repository has something of. */
export async function listAgents(repository: string): Promise<string[]> {
  const names = await readdir(join(repository, "agents")).catch(() => []);
  return names.flatMap((name) => /^(agt_\w+)\.json$/.exec(name)?.[1] ?? []);
}

/** Removes what is recorded of an agent. Harmless twice. */
export async function removeAgent(
  repository: string,
  agentId: string,
): Promise<void> {
  await rm(fileOf(repository, agentId), { force: true });
  await rm(treesOf(repository, agentId), { recursive: true, force: true });
}

function fileOf(repository: string, agentId: string): string {
  return join(repository, "agents", `${agentId}.json`);
}

function treesOf(repository: string, agentId: string): string {
  return join(repository, "refs", "turns", agentId);
}
