import type { Git } from "@gantry/git-kit";
import { errors } from "../errors.ts";
import { showPath } from "../folder/folder-path.ts";
import { sinceCommit } from "../repository/patch.ts";
import {
  parseGitPath,
  toPathText,
  toUtf8,
  type GitPath,
} from "../repository/path-text.ts";
import { readGit, splitFields } from "../repository/read-git.ts";
import { PATCH_ARGUMENTS } from "../repository/whole-patch.ts";
import {
  applyBlocks,
  parseHunks,
  restage,
  stagedPart,
  type Block,
  type Hunk,
  type StagedPart,
} from "./hunks.ts";
import { refreshIndex, storeBlob, writeEntries } from "./index-entries.ts";

/** Files in which hunks are staged each for itself. */
const MAX_MARKED = 50;
const MAX_LISTED_BYTES = 16 * 1024 * 1024;
/** Largest file of which a hunk can be staged, in bytes. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** A hunk as a client was shown it. */
export interface ShownHunk {
  path: string;
  header: string;
  lines: string;
}

/** A hunk with the file that it is in; texts have one character for each byte. */
export interface FoundHunk {
  path: GitPath;
  hunk: Hunk;
  /** All changes of the file since the last commit, and those that are staged. */
  changes: Block[];
  staged: Block[];
  /** The file as the last commit has it. */
  before: { mode: string; hash: string; text: string };
}

/** Puts single hunks of a file into the next commit, and takes them out of it. */
export class HunkStaging {
  readonly #git: Git;

  constructor(git: Git) {
    this.#git = git;
  }

  /** @throws GIT_HUNK_CHANGED, GIT_BUSY, GIT_WRITE_FAILED */
  async set(root: string, shown: ShownHunk, isStaged: boolean): Promise<void> {
    const { path, hunk, staged, before } = await this.find(root, shown);
    const text = applyBlocks(before.text, restage(hunk, staged, isStaged));
    if (text === undefined) throw hunkChanged(shown);
    const hash = await storeBlob(this.#git, root, Buffer.from(text, "latin1"));
    const name = Buffer.from(path).toString("latin1");
    const after = `${before.mode} ${hash}`;
    await writeEntries(this.#git, root, [{ path: name, before: null, after }]);
    await refreshIndex(this.#git, root, false);
  }

  /** Finds a hunk in the file as it is now. @throws GIT_HUNK_CHANGED */
  async find(root: string, shown: ShownHunk): Promise<FoundHunk> {
    const path = parseGitPath(shown.path);
    const [changes, staged, before] = await Promise.all([
      this.#hunksOf(root, path, []),
      this.#hunksOf(root, path, ["--cached"]),
      this.#readBefore(root, path),
    ]);
    const place = oldRange(shown.header);
    const hunk = changes.find(
      ({ header, body }) =>
        oldRange(header) === place && toUtf8(body) === shown.lines,
    );
    if (!hunk || !before) throw hunkChanged(shown);
    return {
      ...{ path, hunk, before },
      changes: toBlocks(changes),
      staged: toBlocks(staged),
    };
  }

  /** How much of each hunk is staged, of files that are in part. */
  async readMarks(
    root: string,
    path?: GitPath,
  ): Promise<{ path: string; hunks: StagedPart[] }[]> {
    const list = async (more: string[]) => {
      const args = ["--name-only", "-z", "--no-renames", "--relative", ...more];
      const options = {
        encoding: "latin1",
        maxOutputBytes: MAX_LISTED_BYTES,
        ...(path === undefined ? {} : { paths: [path] }),
      } as const;
      return splitFields(await readGit(this.#git, root, "diff", args, options));
    };
    const staged = await list(["--cached"]);
    if (staged.length === 0) return [];
    const changed = new Set(await list([]));
    const both = staged.filter((name) => changed.has(name));
    return await Promise.all(
      both.slice(0, MAX_MARKED).map(async (name) => {
        const text = toPathText(name);
        const file = parseGitPath(text);
        const [changes, inIndex] = await Promise.all([
          this.#hunksOf(root, file, []),
          this.#hunksOf(root, file, ["--cached"]),
        ]);
        const blocks = toBlocks(inIndex);
        return {
          path: text,
          hunks: changes.map((hunk) => stagedPart(hunk, blocks)),
        };
      }),
    );
  }

  async #hunksOf(
    root: string,
    path: GitPath,
    more: readonly string[],
  ): Promise<Hunk[]> {
    const since = await sinceCommit(this.#git, root);
    const { stdout } = await readGit(
      this.#git,
      root,
      "diff",
      [...PATCH_ARGUMENTS, ...more, since],
      { paths: [path], encoding: "latin1", maxOutputBytes: MAX_FILE_BYTES },
    );
    return parseHunks(stdout);
  }

  /** The file as the last commit has it. */
  async #readBefore(
    root: string,
    path: GitPath,
  ): Promise<FoundHunk["before"] | undefined> {
    const listed = await this.#git(root, "ls-tree", ["-z", "HEAD"], {
      paths: [path],
      encoding: "latin1",
    });
    const [, mode, hash] =
      /^(100\d+) blob ([0-9a-f]+)\t/.exec(splitFields(listed)[0] ?? "") ?? [];
    if (!mode || !hash) return undefined;
    const { stdout, truncated } = await readGit(
      this.#git,
      root,
      "cat-file",
      ["blob", hash],
      { encoding: "latin1", maxOutputBytes: MAX_FILE_BYTES },
    );
    return truncated ? undefined : { mode, hash, text: stdout };
  }
}

function toBlocks(hunks: readonly Hunk[]) {
  return hunks.flatMap(({ blocks }) => blocks);
}

/** Where a hunk begins in the last commit: in the file as it is, others above it move it. */
function oldRange(header: string): string | undefined {
  return /^@@ -\S+/.exec(header)?.[0];
}

/** The error for a hunk that is not in the file any more. */
export function hunkChanged({ path }: Pick<ShownHunk, "path">) {
  return errors.GIT_HUNK_CHANGED({ path: showPath(path) });
}
