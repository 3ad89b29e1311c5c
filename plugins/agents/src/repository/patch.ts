import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Git, GitOptions, GitResult } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { showPath } from "../folder/folder-path.ts";
import { findInner, listSubmodules } from "./inner-repositories.ts";
import { parseGitPath, toPathText, toUtf8, type GitPath } from "./path-text.ts";
import {
  isRead,
  readGit,
  splitFields,
  toGitError,
  toNotices,
} from "./read-git.ts";

const MOST_PATCH = 2 * 1024 * 1024;
const LARGEST_NEW = 512 * 1024;
/** Files that are read each for itself, if all at once cannot be read. */
const MOST_SINGLE = 100;

/** Changes in the form that git prints them. */
export interface Patch {
  patch: string;
  /** Whether a part is missing: its end was cut off, or a notice says why. */
  truncated: boolean;
  /** What could not be read, and why. */
  notices: string[];
}

/** A patch as everybody knows it, whatever the settings of the repository say. */
export const PATCH_ARGUMENTS = toPatchArguments("");

/** @param prefix Path of the repository from the agent's folder on, with a slash at its end. */
function toPatchArguments(prefix: string): string[] {
  return [
    "--relative",
    "--no-color",
    `--src-prefix=a/${prefix}`,
    `--dst-prefix=b/${prefix}`,
    "--submodule=short",
    "-U3",
    "-M",
  ];
}

/** What git printed, cut after a whole line. */
export function toPatch({ stdout, stderr, truncated }: GitResult): Patch {
  const patch = truncated
    ? stdout.slice(0, stdout.lastIndexOf("\n") + 1)
    : stdout;
  return { patch, truncated, notices: toNotices(stderr) };
}

/** Prints a patch, of all files or of some paths. */
export type PrintPatch = (
  paths: GitPath[] | undefined,
  options: GitOptions,
) => Promise<GitResult>;

/**
 * Reads the patch of all files. If git fails over one of them, each is read for itself, so that the others are told.
 *
 * @param list Paths of all files, for that case.
 */
export async function readWholePatch(
  print: PrintPatch,
  list: () => Promise<GitPath[]>,
  maxOutputBytes = MOST_PATCH,
): Promise<Patch> {
  const result = await print(undefined, { maxOutputBytes });
  if (isRead(result)) return toPatch(result);
  const whole: Patch = { patch: "", truncated: true, notices: [] };
  const paths = await list();
  if (paths.length === 0) throw toGitError("diff", result);
  for (const path of paths.slice(0, MOST_SINGLE)) {
    const left = maxOutputBytes - whole.patch.length;
    if (left <= 0) break;
    const single = await print([path], { maxOutputBytes: left });
    const { patch, notices } = toPatch(single);
    // What git printed before it failed may be half a file.
    if (isRead(single)) whole.patch += patch;
    const name = toPathText(Buffer.from(path).toString("latin1"));
    const reason = isRead(single) ? "" : toGitError("diff", single).message;
    for (const text of reason ? [reason] : notices)
      whole.notices.push(`${showPath(name)}: ${text}`);
  }
  if (paths.length > MOST_SINGLE)
    whole.notices.push(
      `Only ${MOST_SINGLE} of ${paths.length} files were read, each for itself.`,
    );
  return whole;
}

/**
 * What is changed since the last commit: of one file, also of one that git does not know yet, or of all that it knows, in
 * submodules too.
 *
 * @param from Where the file was before it was renamed.
 */
export async function readPatch(
  git: Git,
  folder: AgentFolder,
  { path, from }: { path?: GitPath | undefined; from?: GitPath | undefined },
): Promise<Patch> {
  if (path === undefined) return await readFolder(git, folder.root);
  const inner = await findInner(git, folder.root, path);
  if (!inner) return await readOne(git, folder, folder.root, "", path, from);
  const { root, prefix, inside } = inner;
  const submodules = await listSubmodules(git, folder.root);
  if (inside.length > 0) {
    const before = from && (await findInner(git, folder.root, from));
    const old = before && before.root === root ? before.inside : undefined;
    return await readOne(git, folder, root, `${prefix}/`, inside, old);
  }
  if (!submodules.includes(prefix))
    return {
      patch: "",
      truncated: true,
      notices: [
        `${showPath(prefix)} is a repository of its own; its changes are not those of the repository around it.`,
      ],
    };
  const moved = await readOne(git, folder, folder.root, "", path, undefined);
  return joinPatches([moved, await readTree(git, root, `${prefix}/`)]);
}

/** All that is changed in a folder and in its submodules. */
async function readFolder(git: Git, folder: string): Promise<Patch> {
  const submodules = await listSubmodules(git, folder);
  const patches = [await readTree(git, folder, "")];
  for (const path of submodules) {
    const inner = await findInner(git, folder, parseGitPath(path));
    if (inner) patches.push(await readTree(git, inner.root, `${path}/`));
    else
      patches.push({
        patch: "",
        truncated: true,
        notices: [`The submodule ${showPath(path)} was not looked into.`],
      });
  }
  return joinPatches(patches);
}

function joinPatches(patches: readonly Patch[]): Patch {
  return {
    patch: patches.map(({ patch }) => patch).join(""),
    truncated: patches.some(({ truncated }) => truncated),
    notices: patches.flatMap(({ notices }) => notices),
  };
}

/** All that is changed in the files that one repository knows. */
async function readTree(
  git: Git,
  root: string,
  prefix: string,
): Promise<Patch> {
  const since = await sinceCommit(git, root);
  const args = [...toPatchArguments(prefix), since];
  return await readWholePatch(
    (paths, options) =>
      git(root, "diff", args, { ...options, ...(paths ? { paths } : {}) }),
    async () => {
      const names = ["--name-only", "-z", "--no-renames", "--relative", since];
      const listed = await git(root, "diff", names, { encoding: "latin1" });
      return splitFields(listed).map((name) => parseGitPath(toPathText(name)));
    },
  );
}

async function sinceCommit(git: Git, root: string): Promise<string> {
  const head = await git.resolve(root, "HEAD");
  return head === undefined ? "--cached" : "HEAD";
}

async function readOne(
  git: Git,
  folder: AgentFolder,
  root: string,
  prefix: string,
  path: GitPath,
  from: GitPath | undefined,
): Promise<Patch> {
  const args = toPatchArguments(prefix);
  const result = await readGit(
    git,
    root,
    "diff",
    [...args, await sinceCommit(git, root)],
    {
      paths: from === undefined ? [path] : [path, from],
      maxOutputBytes: MOST_PATCH,
    },
  );
  if (result.stdout !== "") return toPatch(result);
  const { stdout: known } = await readGit(git, root, "ls-files", ["-z"], {
    paths: [path],
  });
  if (known !== "" || !(await isNew(folder, prefix, path)))
    return toPatch(result);
  const added = await git.newFilePatch(root, path, args, {
    maxOutputBytes: MOST_PATCH,
  });
  if (!isRead(added)) throw toGitError("diff", added);
  return toPatch(added);
}

/**
 * Whether there is a file or a link of that name, with no link on the way to it.
 *
 * @throws FILE_TOO_LARGE, and what a path can be refused for
 */
async function isNew(
  folder: AgentFolder,
  prefix: string,
  path: GitPath,
): Promise<boolean> {
  const bytes = Buffer.concat([Buffer.from(prefix), Buffer.from(path)]);
  const place = Buffer.concat([Buffer.from(`${folder.root}/`), bytes]);
  const stats = await lstat(place).catch(() => undefined);
  if (!stats?.isFile() && !stats?.isSymbolicLink()) return false;
  const names = bytes.toString("latin1").split("/").map(toUtf8);
  // A name that is not UTF-8 cannot be looked up; git itself goes through no link.
  const odd = names.findIndex((name) => name.includes("\ufffd"));
  const parents = names.slice(
    0,
    odd < 0 ? -1 : Math.min(odd, names.length - 1),
  );
  const found = await folder.find(parents.join("/"));
  if (found.path !== join(folder.root, ...parents)) return false;
  if (!stats.isFile()) return true;
  if (odd < 0) await folder.find(names.join("/"));
  if (stats.size > LARGEST_NEW)
    throw errors.FILE_TOO_LARGE({
      path: showPath(names.join("/")),
      limit: `${LARGEST_NEW / 1024 / 1024} MiB`,
    });
  return true;
}
