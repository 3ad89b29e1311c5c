import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryPlaces } from "./find-repository.ts";

/** What the commands that write here leave alone; hooks often are a link. */
const UNTOUCHED = new Set(["hooks", "info", "lfs", "modules", "rr-cache"]);

/**
 * A link where git writes, `undefined` if there is none. git follows some of them: a message, or a line in the log of a
 * branch, would end up in any file of the user's.
 */
export async function findWrittenLink({
  folder,
  common,
}: Pick<RepositoryPlaces, "folder" | "common">): Promise<string | undefined> {
  const places = [
    ...new Set([folder, common]),
    ...[...new Set([folder, common])].map((place) => join(place, "logs")),
    join(common, "refs"),
  ];
  const found = await Promise.all(
    places.map(async (place) => {
      const isTop = place === folder || place === common;
      const entries = await readdir(place, {
        withFileTypes: true,
        // Folders that are links are listed and not entered.
        recursive: !isTop,
      }).catch(ignoreMissing);
      const link = entries.find(
        (entry) =>
          entry.isSymbolicLink() && !(isTop && UNTOUCHED.has(entry.name)),
      );
      return link && join(link.parentPath, link.name);
    }),
  );
  return found.find((link) => link !== undefined);
}

function ignoreMissing({ code }: NodeJS.ErrnoException): [] {
  if (code === "ENOENT" || code === "ENOTDIR") return [];
  throw new Error(`A folder of the repository cannot be read: ${code}`);
}
