import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isIdentifier } from "@gantry/plugin";
import type { Clock } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import type { Size } from "./home-usage.ts";

/** Parts of the cache that the daemon makes again when it needs them. */
const CACHES = ["utilities"];
const TRANSCRIPT = ".jsonl";
/** A conversation that was written a short time ago may be that of an agent that is being made. */
const MIN_AGE_MS = 60 * 60 * 1000;
const MAX_CONVERSATIONS = 10_000;

/** What is needed to find and remove what nothing needs any more. */
export interface RemainsHost {
  home: string;
  clock: Clock;
  messages(): AgentMessages | undefined;
}

/** How much the parts of the cache hold that can be made again. */
export async function measureCaches(home: string): Promise<Size> {
  const size = { bytes: 0, count: 0 };
  for (const name of CACHES) {
    const folder = join(home, "cache", name);
    for (const file of await readdir(folder).catch(() => [])) {
      const stats = await lstat(join(folder, file)).catch(() => undefined);
      if (!stats?.isFile()) continue;
      size.bytes += stats.size;
      size.count++;
    }
  }
  return size;
}

/** Removes them, and gives how much that was. */
export async function clearCaches(home: string): Promise<Size> {
  const size = await measureCaches(home);
  for (const name of CACHES)
    await rm(join(home, "cache", name), { recursive: true, force: true });
  return size;
}

/** A conversation whose agent was deleted. */
interface Orphan {
  file: string;
  bytes: number;
}

/** The conversations that were kept when their agents were deleted; `undefined` without a service that knows the agents. */
export async function measureOrphans(
  host: RemainsHost,
  signal: AbortSignal,
): Promise<Size | undefined> {
  if (!host.messages()) return undefined;
  const size = { bytes: 0, count: 0 };
  for await (const { bytes } of findOrphans(host, signal)) {
    size.bytes += bytes;
    size.count++;
  }
  return size;
}

/** Removes them, and gives how much that was. */
export async function removeOrphans(
  host: RemainsHost,
  signal: AbortSignal,
): Promise<Size> {
  const size = { bytes: 0, count: 0 };
  for await (const { file, bytes } of findOrphans(host, signal)) {
    await rm(file, { force: true });
    size.bytes += bytes;
    size.count++;
  }
  return size;
}

async function* findOrphans(
  { home, clock, messages }: RemainsHost,
  signal: AbortSignal,
): AsyncGenerator<Orphan> {
  const folder = join(home, "data", "agents", "transcripts");
  const names = await readdir(folder).catch(() => []);
  for (const name of names.slice(0, MAX_CONVERSATIONS)) {
    if (signal.aborted) return;
    const agentId = name.slice(0, -TRANSCRIPT.length);
    if (!name.endsWith(TRANSCRIPT) || !isIdentifier("agt", agentId)) continue;
    const service = messages();
    // Only the agents plugin knows whether a conversation still has an agent.
    if (!service) return;
    if ((await service.describe({ agentId }, signal)) !== null) continue;
    const file = join(folder, name);
    const stats = await lstat(file).catch(() => undefined);
    if (!stats?.isFile() || clock.now() - stats.mtimeMs < MIN_AGE_MS) continue;
    yield { file, bytes: stats.size };
  }
}
