import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { WholeHome } from "@gantry/plugin";
import { linkOrCopy } from "@gantry/plugin/files";
import { holdsConversations } from "../archive/conversation-folders.ts";
import { findFiles } from "../archive/find-files.ts";
import type { SnapshotReader } from "../archive/open-snapshot.ts";

/**
 * Puts the conversations of the home into a stage, by links where the disk has them, for a snapshot that was made without any: the folders of the stage
 * come in the place of those of the home, and what no snapshot ever held would be lost.
 */
export async function keepConversations(
  { manifest }: SnapshotReader,
  home: WholeHome,
  stage: string,
  signal: AbortSignal,
): Promise<void> {
  if (manifest.hasTranscripts) return;
  const staged = new Set(manifest.files.byPlugin.map(({ plugin }) => plugin));
  const { files } = await findFiles({
    data: home.data,
    isSkipped: (plugin) => !staged.has(plugin),
    signal,
  });
  for (const { plugin, path } of files) {
    if (!isConversation(plugin, path)) continue;
    signal.throwIfAborted();
    const place = join(stage, "data", plugin, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await linkOrCopy(join(home.data, plugin, path), place);
  }
}

/** Whether a file belongs to a conversation. */
export function isConversation(plugin: string, path: string): boolean {
  for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1))
    if (holdsConversations(plugin, path.slice(0, end))) return true;
  return false;
}
