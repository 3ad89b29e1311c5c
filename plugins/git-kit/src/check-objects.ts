import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { gitErrors } from "./errors.ts";
import type { RepositoryPlaces } from "./find-repository.ts";
import { readPlainFile } from "./read-plain-file.ts";

const MAX_LIST_BYTES = 64 * 1024;

/**
 * Checks that a repository keeps its objects and branches in its own folder. Through `objects/info/alternates`, or a link
 * in the place of a folder, git would read another repository, which the user has not opened.
 *
 * @throws GIT_OBJECTS_OUTSIDE
 */
export async function checkObjects({
  root,
  common,
}: RepositoryPlaces): Promise<void> {
  const outside = (place: string, remedy: string) =>
    gitErrors.GIT_OBJECTS_OUTSIDE({ root, place, remedy });
  const objects = join(common, "objects");
  const alternates = join(objects, "info", "alternates");
  const [linked, entries, others] = await Promise.all([
    findLink([objects, join(common, "refs"), join(objects, "info")]),
    readdir(objects, { withFileTypes: true }).catch(() => []),
    readPlainFile(alternates, MAX_LIST_BYTES).then(String, emptyIfMissing),
  ]);
  const entry = entries.find((each) => each.isSymbolicLink());
  const link = linked ?? (entry && join(objects, entry.name));
  if (link !== undefined)
    throw outside(
      `the link ${link}`,
      "Clone it again to have a repository of its own.",
    );
  const [other] = others.split("\n").filter((line) => /^[^#]/.test(line));
  if (other !== undefined)
    throw outside(
      `${other} (see ${alternates})`,
      `Run "git repack -a -d" in it and delete that file to have a repository of its own.`,
    );
}

async function findLink(paths: readonly string[]): Promise<string | undefined> {
  const links = await Promise.all(
    paths.map(async (path) =>
      (await lstat(path).catch(() => undefined))?.isSymbolicLink(),
    ),
  );
  return paths.find((_, index) => links[index]);
}

/** A list that exists and cannot be read counts as one with entries. */
function emptyIfMissing({ code = "" }: NodeJS.ErrnoException): string {
  return code === "ENOENT" || code === "ENOTDIR" ? "" : code;
}
