import { rm } from "node:fs/promises";
import { describeError, type WholeHome } from "@gantry/plugin";
import type { SnapshotReader } from "../archive/open-snapshot.ts";

/** What is known of the records that the plugins of a stopped home can read. */
export interface LearnedVersions {
  /** The home, with the versions that are known. */
  home: WholeHome;
  /** Which records cannot be compared, and why; `undefined` if all can. */
  warning?: string;
}

/**
 * Starts the plugins of a stopped home on an empty copy: only their code says which versions of records it can read. On a new machine
 * no daemon has ever run that could have stored them.
 *
 * @throws the signal's reason
 */
export async function learnRecordVersions(
  home: WholeHome,
  { manifest }: Pick<SnapshotReader, "manifest">,
  signal: AbortSignal,
): Promise<LearnedVersions> {
  const stage = await home.stage();
  try {
    const { plugins, recordVersions } = await home.rehearse(stage, signal);
    const failed = plugins
      .filter(({ id, state }) => state === "failed" && isStored(id))
      .map(({ id }) => id);
    const known = { ...home, recordVersions: () => recordVersions };
    if (failed.length === 0) return { home: known };
    const does = failed.length === 1 ? "plugin does" : "plugins do";
    const warning = `The records of ${failed.join(", ")} were not compared with what this version can read, since the ${does} not start.`;
    return { home: known, warning };
  } catch (error) {
    signal.throwIfAborted();
    const warning = `The records were not compared with what this version can read: ${describeError(error)}`;
    return { home, warning };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }

  function isStored(plugin: string): boolean {
    return manifest.namespaces.some(({ name }) => name === plugin);
  }
}
