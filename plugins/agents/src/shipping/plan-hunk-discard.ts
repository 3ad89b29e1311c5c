import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Git } from "@gantry/git-kit";
import { inParent, join } from "../checkpoints/open-parents.ts";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { toFileError } from "../folder/file-errors.ts";
import { showPath } from "../folder/folder-path.ts";
import { toPathText } from "../repository/path-text.ts";
import { findFiltered } from "./find-filtered.ts";
import type { ProgramsState } from "./git-trust.ts";
import {
  hunkChanged,
  MAX_FILE_BYTES,
  type HunkStaging,
  type ShownHunk,
} from "./hunk-staging.ts";
import { applyBlocks, restage } from "./hunks.ts";
import { readEntries, storeBlob, type IndexChange } from "./index-entries.ts";
import {
  readCheckedOut,
  refuseFiltered,
  type DiscardPlan,
} from "./plan-discard.ts";
import { reverseBlocks } from "./reverse-blocks.ts";
import { refuseUnmerged } from "./staging.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const ANY_EXECUTE = 0o100;

/**
 * Plans how one hunk of a file is taken back, in the folder and in the index. Writes nothing but a content into the user's
 * repository, for the index.
 *
 * @throws GIT_HUNK_CHANGED, GIT_CONFLICTED, GIT_DISCARD_IMPOSSIBLE, GIT_PROGRAMS_NEEDED
 */
export async function planHunkDiscard(
  git: Git,
  hunks: HunkStaging,
  folder: AgentFolder,
  shown: ShownHunk,
  programs: ProgramsState,
): Promise<DiscardPlan> {
  const { root } = folder;
  const found = await hunks.find(root, shown);
  const { hunk, changes, before } = found;
  const path = Buffer.from(found.path).toString("latin1");
  const { entries, unmerged } = await readEntries(git, root, [path]);
  refuseUnmerged(unmerged.map(toPathText));
  if (!programs.trusted) await refuseFiltered(git, root, [path], programs);
  const now = await readPlain(folder, path);
  const stored = applyBlocks(before.text, changes);
  if (!now || stored === undefined) throw hunkChanged(shown);
  const isFiltered =
    (await findFiltered(git, root, [path], programs.filters)).length > 0;
  const isPlain = stored === now.text;
  const old = isPlain
    ? before.text
    : await readCheckedOut(git, root, path, before, programs.trusted).then(
        (bytes) => Buffer.from(bytes).toString("latin1"),
      );
  const text = isFiltered
    ? undefined
    : reverseBlocks(
        {
          before: { stored: before.text, shown: old },
          after: { stored, shown: now.text },
        },
        changes,
        hunk.blocks,
      );
  if (text === undefined)
    throw errors.GIT_DISCARD_IMPOSSIBLE({
      path: showPath(shown.path),
      reason:
        "git stores it in another form than it has in the folder, so no part of it can be taken back alone; discard the whole file",
    });
  const hash = createHash("sha1")
    .update(`blob ${now.text.length}\0`)
    .update(now.text, "latin1")
    .digest("hex");
  return {
    files: [
      {
        ...{ path, mode: now.mode, now: { mode: now.mode, hash } },
        content: async () => Buffer.from(text, "latin1"),
      },
    ],
    index: await planIndex(git, root, path, found, entries.get(path) ?? null),
  };
}

/** Takes what is staged of the hunk out of the index. */
async function planIndex(
  git: Git,
  root: string,
  path: string,
  { hunk, staged, before }: Awaited<ReturnType<HunkStaging["find"]>>,
  entry: string | null,
): Promise<IndexChange[]> {
  const left = restage(hunk, staged, false);
  if (left.length === staged.length) return [];
  const text = applyBlocks(before.text, left) ?? before.text;
  const hash =
    text === before.text
      ? before.hash
      : await storeBlob(git, root, Buffer.from(text, "latin1"));
  const mode = entry?.split(" ")[0] ?? before.mode;
  return [{ path, before: entry, after: `${mode} ${hash}` }];
}

/** A plain file, one character for each byte; `undefined` for anything else, and for one that is too large. No link is followed. */
async function readPlain(
  folder: AgentFolder,
  path: string,
): Promise<{ mode: string; text: string } | undefined> {
  return await inParent(folder, path, false, async (parent, name) => {
    if (!parent) return undefined;
    try {
      const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
      await using handle = await open(join(parent, name), flags);
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined;
      const text = await handle.readFile("latin1");
      const isProgram = (stats.mode & ANY_EXECUTE) !== 0;
      return { mode: isProgram ? "100755" : "100644", text };
    } catch (error) {
      throw toFileError(error, toPathText(path));
    }
  });
}
