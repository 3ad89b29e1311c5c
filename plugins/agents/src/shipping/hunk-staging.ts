import { realpath } from "node:fs/promises";
import { relative } from "node:path";
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
  type Hunk,
  type StagedPart,
} from "./hunks.ts";
import { toWriteError } from "./to-write-error.ts";

/** Files in which hunks are staged each for itself. */
const MAX_MARKED = 50;
const MAX_LISTED_BYTES = 16 * 1024 * 1024;
/** Largest file of which a hunk can be staged, in bytes. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** A hunk as a client was shown it. */
export interface ShownHunk {
  path: string;
  header: string;
  lines: string;
}

/** Puts single hunks of a file into the next commit, and takes them out of it. */
export class HunkStaging {
  readonly #git: Git;

  constructor(git: Git) {
    this.#git = git;
  }

  /** @throws GIT_HUNK_CHANGED, GIT_BUSY, GIT_WRITE_FAILED */
  async set(root: string, shown: ShownHunk, isStaged: boolean): Promise<void> {
    const path = parseGitPath(shown.path);
    const changed = () =>
      errors.GIT_HUNK_CHANGED({ path: showPath(shown.path) });
    const [changes, staged, before] = await Promise.all([
      this.#hunksOf(root, path, []),
      this.#hunksOf(root, path, ["--cached"]),
      this.#readBefore(root, path),
    ]);
    const hunk = changes.find(
      ({ header, body }) =>
        toUtf8(header) === shown.header && toUtf8(body) === shown.lines,
    );
    if (!hunk || !before) throw changed();
    const text = applyBlocks(
      before.text,
      restage(hunk, toBlocks(staged), isStaged),
    );
    if (text === undefined) throw changed();
    await this.#writeEntry(root, path, before.mode, text);
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
  ): Promise<{ mode: string; text: string } | undefined> {
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
    return truncated ? undefined : { mode, text: stdout };
  }

  async #writeEntry(
    root: string,
    path: GitPath,
    mode: string,
    text: string,
  ): Promise<void> {
    const options = { programs: false } as const;
    const stored = await this.#git.write(
      root,
      "hash-object",
      ["-w", "--stdin"],
      { ...options, input: Buffer.from(text, "latin1") },
    );
    if (stored.code !== 0)
      throw toWriteError({ command: "hash-object", ...options }, stored);
    const top = (await this.#git.root(root)) ?? root;
    const prefix = relative(top, await realpath(root));
    const name = [
      ...(prefix === "" ? [] : [Buffer.from(prefix).toString("latin1")]),
      Buffer.from(path).toString("latin1"),
    ].join("/");
    const entry = `${mode} ${stored.stdout.trim()} 0\t${name}\0`;
    const result = await this.#git.write(
      root,
      "update-index",
      ["-z", "--index-info"],
      { ...options, input: Buffer.from(entry, "latin1") },
    );
    if (result.code !== 0)
      throw toWriteError({ command: "update-index", ...options }, result);
    // Else git would take a file of which all is staged for changed. It fails if others are.
    await this.#git.write(root, "update-index", ["-q", "--refresh"], options);
  }
}

function toBlocks(hunks: readonly Hunk[]) {
  return hunks.flatMap(({ blocks }) => blocks);
}
