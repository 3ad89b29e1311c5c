import {
  lstat,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import type { PrivateGit } from "@gantry/git-kit";
import {
  listAgents,
  readChanges,
  removeAgent,
  removeOtherSnapshots,
  writeChanges,
} from "./checkpoint-records.ts";
import { MAX_AGE_MS, MAX_REPOSITORY_BYTES } from "./limits.ts";
import { runPrivate } from "./run-private.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

/** Has the size of a repository in which nothing is to be removed. */
const TIDIED = "tidied";

/** What is known of agents while repositories are tidied. */
export interface TidyHost {
  git: PrivateGit;
  /** Now, as a timestamp. */
  now: string;
  isDeleted(agentId: string): Promise<boolean>;
  /** Turns that run, whose first snapshot is not recorded yet. */
  running: ReadonlySet<string>;
}

/**
 * Removes what is too old or belongs to no agent, and the contents that only that had.
 *
 * @returns how many bytes are left; `undefined` if nothing of an agent is, or the folder is gone
 */
export async function tidy(
  host: TidyHost,
  store: SnapshotStore,
): Promise<number | undefined> {
  const { repository, folder } = store.places;
  if (await isGone(folder)) return undefined;
  await removeLeftovers(repository);
  for (let share = 1; ; share /= 2) {
    const left = await trim(host, repository, share);
    if (left.agents === 0) return undefined;
    const known = left.isTrimmed ? undefined : await readTidied(repository);
    if (known !== undefined) return known;
    await store.prepare();
    await pack(host.git, store);
    const bytes = await sizeOf(repository);
    if (bytes > MAX_REPOSITORY_BYTES && left.changes > 0) continue;
    const marker = join(repository, TIDIED);
    await writeFile(marker, String(bytes), { mode: 0o600 });
    return bytes;
  }
}

/** The size that was found last; `undefined` if something has changed since. */
async function readTidied(repository: string): Promise<number | undefined> {
  const marker = join(repository, TIDIED);
  const since = await stat(marker).catch(() => undefined);
  if (!since) return undefined;
  const agents = await listAgents(repository);
  const files = ["index", ...agents.map((id) => join("agents", `${id}.json`))];
  for (const file of files) {
    const stats = await stat(join(repository, file)).catch(() => undefined);
    if (stats && stats.mtimeMs > since.mtimeMs) return undefined;
  }
  const bytes = Number(await readFile(marker, "utf8"));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Removes contents that nothing names any more. */
export async function pack(
  git: PrivateGit,
  { places }: SnapshotStore,
): Promise<void> {
  await runPrivate(git, places, "repack", ["-a", "-d", "-n", "-q"], {
    settings: { "pack.window": "0" },
  });
  await runPrivate(git, places, "prune", ["--expire=now"]);
}

/** Keeps a share of the turns of each agent, the newest ones. */
async function trim(
  { isDeleted, now, running }: TidyHost,
  repository: string,
  share: number,
): Promise<{ agents: number; changes: number; isTrimmed: boolean }> {
  const left = { agents: 0, changes: 0, isTrimmed: false };
  for (const agentId of await listAgents(repository)) {
    if (await isDeleted(agentId)) {
      await removeAgent(repository, agentId);
      left.isTrimmed = true;
      continue;
    }
    const changes = await readChanges(repository, agentId);
    const kept = changes.slice(
      changes.length - Math.floor(changes.length * share),
    );
    if (kept.length < changes.length || isDue(kept, now))
      await writeChanges(repository, agentId, kept, now);
    const ids = (await readChanges(repository, agentId)).map(({ id }) => id);
    const known = new Set([...ids, ...running]);
    if (await removeOtherSnapshots(repository, agentId, known))
      left.isTrimmed = true;
    left.agents += 1;
    left.changes += ids.length;
  }
  return left;
}

/** Whether one of the turns is too old. */
function isDue(changes: readonly { at: string }[], now: string): boolean {
  const since = Date.parse(now) - MAX_AGE_MS;
  return changes.some(({ at }) => Date.parse(at) < since);
}

/** Removes what a restore left that was cut off. */
async function removeLeftovers(repository: string): Promise<void> {
  for (const name of await readdir(repository))
    if (name.startsWith("scratch-"))
      await rm(join(repository, name), { recursive: true, force: true });
}

async function isGone(folder: string): Promise<boolean> {
  return await stat(folder).then(
    (stats) => !stats.isDirectory(),
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, {
    recursive: true,
    withFileTypes: true,
  });
  let bytes = 0;
  for (const { parentPath, name } of entries) {
    const stats = await lstat(join(parentPath, name)).catch(() => undefined);
    bytes += stats?.size ?? 0;
  }
  return bytes;
}
