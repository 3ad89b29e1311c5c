import type { Git } from "@gantry/git-kit";
import { isGantryError } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { isOfGit, showPath } from "../folder/folder-path.ts";
import { readText } from "../folder/text-files.ts";
import { parseGitPath, toPathText, toUtf8 } from "../repository/path-text.ts";
import { readGit, splitFields } from "../repository/read-git.ts";
import { findFiltered, toNameList } from "./find-filtered.ts";
import type { ProgramsState } from "./git-trust.ts";
import { toWriteError } from "./to-write-error.ts";

/** Many or large files take long to be stored. */
export const STAGE_DEADLINE_MS = 10 * 60_000;
const MAX_LISTED_BYTES = 16 * 1024 * 1024;
const MAX_NAMED = 5;
/** Marks that git leaves in a file that is in conflict. */
const CONFLICT_MARKS = /^(<{7}|>{7})( |$)/m;

/** Puts changed files into the next commit, and takes them out of it, as `git add` and `git reset` do. */
export class Staging {
  readonly #git: Git;

  constructor(git: Git) {
    this.#git = git;
  }

  /** @throws GIT_CONFLICTED, GIT_PROGRAMS_NEEDED, GIT_BUSY, GIT_WRITE_FAILED */
  async stage(
    folder: AgentFolder,
    paths: readonly string[],
    programs: ProgramsState,
  ): Promise<void> {
    await this.refuseConflicts(folder, paths);
    await this.#stageBytes(folder.root, paths.map(toCheckedBytes), programs);
  }

  /** Stages all changes in the folder, new files too. @throws as {@link stage} */
  async stageAll(folder: AgentFolder, programs: ProgramsState): Promise<void> {
    const { root } = folder;
    const options = {
      encoding: "latin1",
      maxOutputBytes: MAX_LISTED_BYTES,
    } as const;
    const [changed, fresh] = await Promise.all([
      readGit(
        this.#git,
        root,
        "diff",
        ["--name-only", "-z", "--no-renames", "--relative"],
        options,
      ),
      readGit(
        this.#git,
        root,
        "ls-files",
        ["--others", "--exclude-standard", "-z"],
        options,
      ),
    ]);
    const bytes = [
      ...splitFields(changed),
      // A folder alone is a repository of its own.
      ...splitFields(fresh).filter((name) => !name.endsWith("/")),
    ];
    await this.refuseConflicts(folder, bytes.map(toPathText));
    await this.#stageBytes(root, bytes, programs);
  }

  /** @throws GIT_BUSY, GIT_WRITE_FAILED */
  async unstage(folder: AgentFolder, paths: readonly string[]): Promise<void> {
    const result = await this.#git.write(
      folder.root,
      "reset",
      ["-q", "--pathspec-from-file=-", "--pathspec-file-nul"],
      { programs: false, input: toNameList(paths.map(toCheckedBytes)) },
    );
    if (result.code !== 0)
      throw toWriteError({ command: "reset", programs: false }, result);
  }

  async #stageBytes(
    root: string,
    bytes: readonly string[],
    { filters, trusted }: ProgramsState,
  ): Promise<void> {
    if (bytes.length === 0) return;
    const [filtered] = trusted
      ? []
      : await findFiltered(this.#git, root, bytes, filters);
    if (filtered)
      throw errors.GIT_PROGRAMS_NEEDED({
        reason: `${showPath(filtered.path)} is stored through the filter ${filtered.filter}, which this repository defines`,
      });
    const result = await this.#git.write(
      root,
      "update-index",
      ["--add", "--remove", "--replace", "-z", "--stdin"],
      {
        programs: trusted,
        input: toNameList(bytes),
        timeoutMs: STAGE_DEADLINE_MS,
      },
    );
    if (result.code !== 0)
      throw toWriteError({ command: "update-index", programs: false }, result);
  }

  /**
   * What still has marks of a conflict is not staged: that would end the conflict with them in the file.
   *
   * @throws GIT_CONFLICTED
   */
  async refuseConflicts(
    folder: AgentFolder,
    paths: readonly string[],
  ): Promise<void> {
    const listed = await readGit(
      this.#git,
      folder.root,
      "ls-files",
      ["--unmerged", "-z"],
      { encoding: "latin1", maxOutputBytes: MAX_LISTED_BYTES },
    );
    const unmerged = new Set(
      splitFields(listed).map((line) =>
        toPathText(line.slice(line.indexOf("\t") + 1)),
      ),
    );
    const marked: string[] = [];
    for (const path of paths)
      if (unmerged.has(path) && (await hasMarks(folder, path)))
        marked.push(path);
    refuseUnmerged(marked);
  }
}

/** @throws GIT_CONFLICTED if there are any */
export function refuseUnmerged(paths: readonly string[]): void {
  if (paths.length === 0) return;
  const named = paths.slice(0, MAX_NAMED).map(showPath).join(", ");
  const more = paths.length > MAX_NAMED ? ", …" : "";
  throw errors.GIT_CONFLICTED({
    files: `${named}${more} ${paths.length === 1 ? "is" : "are"}`,
  });
}

async function hasMarks(folder: AgentFolder, path: string): Promise<boolean> {
  try {
    const { text } = await readText(folder, path);
    return CONFLICT_MARKS.test(text);
  } catch (error) {
    // A file that was removed on one side, or no text.
    if (isGantryError(error)) return false;
    throw error;
  }
}

/** @throws PATH_OUTSIDE, PATH_INVALID, PATH_PROTECTED */
export function toCheckedBytes(text: string): string {
  const bytes = Buffer.from(parseGitPath(text)).toString("latin1");
  if (isOfGit(toUtf8(bytes).split("/")))
    throw errors.PATH_PROTECTED({ path: showPath(text) });
  return bytes;
}
