import type { System } from "../wire.ts";
import { toUserFolder } from "./draft.ts";

/** A place where snapshots may go. */
export interface FolderSuggestion {
  path: string;
  title: string;
}

/** Places that usually exist on such a system. The last part of those of disks is for the user to write. */
export function suggestFolders(
  system: System | undefined,
): readonly FolderSuggestion[] {
  const user = toUserFolder(system);
  const name = user?.split("/").at(-1);
  const suggestions: FolderSuggestion[] = [];
  if (system?.platform.startsWith("darwin"))
    suggestions.push({ path: "/Volumes/", title: "A connected disk" });
  else if (name)
    suggestions.push(
      { path: `/media/${name}/`, title: "A connected disk" },
      { path: "/mnt/", title: "A disk that is mounted by hand" },
    );
  if (user)
    suggestions.unshift({
      path: `${user}/Backups`,
      title: "This computer's disk",
    });
  return suggestions;
}
