import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "@gantry/git-kit";
import { toVisibleText } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { showPath } from "../folder/folder-path.ts";
import { MAX_NEW_BYTES, readNewFiles } from "./new-files.ts";
import { findInner, listSubmodules } from "./inner-repositories.ts";
import { parseGitPath, toPathText, toUtf8, type GitPath } from "./path-text.ts";
import { isRead, readGit, splitFields, toGitError } from "./read-git.ts";
import {
  MAX_PATCH_BYTES,
  readWholePatch,
  toPatch,
  toPatchArguments,
  type Patch,
} from "./whole-patch.ts";

/** The tree without files, which every repository has. */
const EMPTY_TREE = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/**
 * What is changed since the last commit, files that git does not know yet included: of one file, or of all, in submodules
 * too.
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
  const { root, prefix, inside, refusal } = inner;
  if (refusal !== undefined) return unread(prefix, refusal);
  const submodules = await listSubmodules(git, folder.root);
  if (inside.length > 0) {
    const before = from && (await findInner(git, folder.root, from));
    const old = before && before.root === root ? before.inside : undefined;
    return await readOne(git, folder, root, `${prefix}/`, inside, old);
  }
  if (!submodules.includes(prefix))
    return unread(
      prefix,
      "Its changes are not those of the repository around it.",
    );
  const moved = await readOne(git, folder, folder.root, "", path, undefined);
  return joinPatches([moved, await readTree(git, root, `${prefix}/`)]);
}

/** Said in place of the changes in a repository below the folder. */
function unread(path: string, reason: string): Patch {
  const notice = `${path} is a repository of its own. ${reason}`;
  return { patch: "", truncated: true, notices: [toVisibleText(notice)] };
}

/** All that is changed in a folder and in its submodules. */
async function readFolder(git: Git, folder: string): Promise<Patch> {
  const submodules = await listSubmodules(git, folder);
  const patches = [await readTree(git, folder, "")];
  for (const path of submodules) {
    const inner = await findInner(git, folder, parseGitPath(path));
    patches.push(
      inner && inner.refusal === undefined
        ? await readTree(git, inner.root, `${path}/`)
        : unread(path, inner?.refusal ?? "It was not looked into."),
    );
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

/** All that is changed in one repository. */
async function readTree(
  git: Git,
  root: string,
  prefix: string,
): Promise<Patch> {
  const since = await sinceCommit(git, root);
  const args = [...toPatchArguments(prefix), since];
  const known = await readWholePatch(
    (paths, options) =>
      git(root, "diff", args, { ...options, ...(paths ? { paths } : {}) }),
    async () => {
      const names = ["--name-only", "-z", "--no-renames", "--relative", since];
      const listed = await git(root, "diff", names, { encoding: "latin1" });
      return splitFields(listed).map((name) => parseGitPath(toPathText(name)));
    },
  );
  const left = MAX_PATCH_BYTES - known.patch.length;
  if (left <= 0) return known;
  const added = await readNewFiles(git, root, toPatchArguments(prefix), left);
  return joinPatches([known, added]);
}

/** What changes are counted from: the last commit, before the first one a tree without files. */
export async function sinceCommit(git: Git, root: string): Promise<string> {
  if ((await git.resolve(root, "HEAD")) !== undefined) return "HEAD";
  const { stdout } = await readGit(git, root, "rev-parse", [
    "--show-object-format",
  ]);
  return stdout.trim() === "sha256" ? EMPTY_TREE.sha256 : EMPTY_TREE.sha1;
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
      maxOutputBytes: MAX_PATCH_BYTES,
    },
  );
  const patch = toPatch(result);
  const known = await readGit(git, root, "ls-files", ["-z"], {
    paths: [path],
    encoding: "latin1",
  });
  // Files that git knows may be below that name: a folder was, where now there is a file.
  const isKnown = splitFields(known).includes(
    Buffer.from(path).toString("latin1"),
  );
  if (isKnown || !(await isNew(folder, prefix, path))) return patch;
  const added = await git.newFilesPatch(root, [path], args, {
    maxOutputBytes: MAX_PATCH_BYTES,
  });
  if (!isRead(added)) throw toGitError("diff", added);
  return joinPatches([patch, toPatch(added)]);
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
  if (stats.size > MAX_NEW_BYTES)
    throw errors.FILE_TOO_LARGE({
      path: showPath(names.join("/")),
      limit: `${MAX_NEW_BYTES / 1024 / 1024} MiB`,
    });
  return true;
}
