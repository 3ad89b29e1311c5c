import type { FilePatch } from "../repository/parsePatch.ts";
import type { FileChange } from "../repository/wire.ts";
import type { StagedPart } from "./wire.ts";

/** How much of a file and of its hunks is staged. */
export interface Marks {
  file: StagedPart;
  /** In the order of the patch; `undefined` where they are as the file is. */
  hunks: readonly (StagedPart | undefined)[] | undefined;
}

/** How much of a file is staged, as its status has it. */
export function toPart({
  staged,
  partlyStaged,
}: Pick<FileChange, "staged" | "partlyStaged">): StagedPart {
  if (staged) return "all";
  return partlyStaged ? "part" : "none";
}

/** Why a file cannot be staged with the others. */
export function refusalOf({
  kind,
  submodule,
}: Pick<FileChange, "kind" | "submodule">): string | undefined {
  if (submodule !== null)
    return `It is in the submodule ${submodule}, which has commits of its own`;
  return kind === "conflicted"
    ? "It is in conflict, which has to be solved first"
    : undefined;
}

/**
 * How much of each hunk is staged; `undefined` where hunks are not staged each for itself, and for one that was cut off.
 *
 * @param marks How much of the file is staged, as it is shown.
 */
export function toHunkParts(
  { hunks, isBinary }: FilePatch,
  item: FileChange,
  marks: Marks,
): readonly (StagedPart | undefined)[] | undefined {
  if (isBinary || hunks.length === 0 || !hasHunks(item)) return undefined;
  if (hunks.length === 1 && marks.file !== "part" && !item.partlyStaged)
    return undefined;
  return hunks.map(({ isWhole }, index) =>
    isWhole ? (marks.hunks?.[index] ?? marks.file) : undefined,
  );
}

/** The marks of a file once a hunk of it is staged, or is no longer. */
export function markHunk(
  parts: readonly (StagedPart | undefined)[],
  index: number,
  staged: boolean,
): Marks {
  const hunks = parts.with(index, staged ? "all" : "none");
  const [first = "part"] = hunks;
  const isSame = hunks.every((part) => part === first);
  return { file: isSame ? first : "part", hunks };
}

/** A new file is one hunk, and one that was renamed is new under its name. */
export function hasHunks(item: FileChange): boolean {
  return (
    refusalOf(item) === undefined &&
    item.from === null &&
    item.kind !== "untracked" &&
    item.kind !== "added"
  );
}
