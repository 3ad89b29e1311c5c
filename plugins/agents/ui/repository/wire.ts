import type { FolderEntry } from "../../src/folder/list-folder.ts";
import type { Restored, TurnItem } from "../../src/checkpoints/turn-item.ts";
import type { CommitDetail, CommitFile } from "../../src/repository/commit.ts";
import type { ComposedCommand } from "../../src/repository/compose.ts";
import type {
  HistoryRow,
  RepositoryRef,
} from "../../src/repository/history.ts";
import type { Patch } from "../../src/repository/whole-patch.ts";
import type { PullRequestState } from "../../src/pull-requests/find-pull-request.ts";
import type { RepositoryMark } from "../../src/repository/repository-marks.ts";
import type {
  FileChange,
  RepositoryStatus,
} from "../../src/repository/parse-status.ts";
import type { Worktree } from "../../src/repository/worktrees.ts";
import type { StagedPart } from "../../src/shipping/hunks.ts";

// Types only: what the server sends can then not be something else here.
export type {
  CommitFile,
  ComposedCommand,
  FileChange,
  FolderEntry,
  HistoryRow,
  PullRequestState,
  RepositoryRef,
  RepositoryStatus,
  Worktree,
};

/** Said where a folder is in no repository. */
export interface NoRepository {
  git: false;
}

/** One level of a folder. */
export interface Level {
  dir: string;
  items: FolderEntry[];
  truncated: boolean;
}

/** The mark to poll. */
export type Mark = NoRepository | ({ git: true } & RepositoryMark);

/** A status, with the mark that the repository has as long as it is right. */
export type MarkedStatus = RepositoryStatus & {
  mark: Pick<RepositoryMark, "key" | "token">;
};

export type Status = NoRepository | ({ git: true } & MarkedStatus);
export type Commit = NoRepository | ({ git: true } & CommitDetail);
export type FoundCommit = { git: true } & CommitDetail;

/** A turn that changed files, in a list. */
export type TurnChanges = TurnItem;
export type TurnChangesList =
  NoRepository | { git: true; items: TurnItem[]; notice: string | null };
/** All that a turn changed. */
export type TurnPatch = TurnItem & Patch & { list: CommitFile[] };
/** What was put back, or would be. */
export type RestoredFiles = Restored;

/** Of a partly staged file, how much of each of its hunks is staged, in the order of the patch. */
export interface StagedHunks {
  path: string;
  hunks: StagedPart[];
}

/** What changed in one file or in all. */
export type Diff =
  | NoRepository
  | ({ git: true; path: string | null; staged: StagedHunks[] } & Patch);

/** A page of the graph. */
export interface HistoryPage {
  git: true;
  head: { hash: string | null; branch: string | null } | null;
  refs: RepositoryRef[];
  worktrees: Worktree[];
  items: HistoryRow[];
  nextCursor: string | null;
  truncated: boolean;
  notices: string[];
}

/** A text file as it was read. */
export interface TextFile {
  path: string;
  text: string;
  bytes: number;
  mtime: number;
}

export interface WrittenText {
  path: string;
  bytes: number;
  mtime: number;
  /** What the user may not expect of it. */
  notices: string[];
}
