import type { Git } from "@gantry/git-kit";
import {
  isGantryError,
  toVisibleText,
  type Clock,
  type Collection,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { HunkStaging } from "../shipping/hunk-staging.ts";
import { readBytesAt, readCommit, readFileAt } from "./commit.ts";
import { composeCommand } from "./compose.ts";
import type { ComposeInput } from "./compose-input.ts";
import { readComposeState } from "./compose-state.ts";
import { placeOf, readHistory, readRefs, startOf } from "./history.ts";
import { parseGitPath } from "./path-text.ts";
import { readAll } from "./read-git.ts";
import { countLines } from "./new-files.ts";
import { readPatch, sinceCommit } from "./patch.ts";
import { resolveRevision } from "./revision.ts";
import { RepositoryMarks } from "./repository-marks.ts";
import { readStatus } from "./status.ts";
import { readBranch, type BranchState } from "./delivery.ts";
import { readWorktrees } from "./worktrees.ts";

/** Dependencies of reading repositories. */
interface RepositoriesHost {
  git: Git;
  clock: Clock;
  agents: Collection<AgentRecord>;
}

/** Largest file of a commit whose bytes are given. */
const MAX_BYTES_AT = 8 * 1024 * 1024;

/** Said where a folder is in no repository. */
const NONE = { git: false } as const;

/** Reads the repositories that agents' folders are in, and changes none of them. */
export class Repositories {
  readonly #host: RepositoriesHost;
  readonly #marks: RepositoryMarks;
  readonly #hunks: HunkStaging;

  constructor(host: RepositoriesHost) {
    this.#host = host;
    this.#marks = new RepositoryMarks(host);
    this.#hunks = new HunkStaging(host.git);
  }

  /** One page of the graph; the first also lists branches, tags and working trees. */
  async history(
    folder: AgentFolder,
    cursor: string | undefined,
    limit: number,
  ) {
    const { git } = this.#host;
    return await this.#in(folder, async (path) => {
      if (cursor !== undefined) {
        const page = await readHistory(git, path, placeOf(cursor), limit);
        return { ...page, head: null, refs: [], worktrees: [] };
      }
      const [hash, branch, refs, worktrees] = await readAll([
        git.resolve(path, "HEAD"),
        git.branch(path),
        readRefs(git, path),
        readWorktrees(this.#host, path),
      ]);
      const page = await readHistory(
        git,
        path,
        startOf(hash, refs.items),
        limit,
      );
      return {
        ...page,
        head: { hash: hash ?? null, branch: branch ?? null },
        refs: refs.items,
        worktrees,
        truncated: page.truncated || refs.truncated,
      };
    });
  }

  /** A mark to poll: it is another when something has changed. */
  async mark(folder: AgentFolder) {
    return await this.#in(folder, (path) => this.#marks.of(path));
  }

  async status(folder: AgentFolder) {
    return await this.#in(folder, async (path) => {
      const { git } = this.#host;
      const status = await readStatus(git, path);
      const { key, token } = await this.#marks.renew(path, status);
      const marked = { ...status, mark: { key, token } };
      if (status.items.length === 0) return marked;
      const counts = await countLines(git, path, await sinceCommit(git, path));
      return {
        ...marked,
        items: status.items.map((item) => ({
          ...item,
          ...counts.get(item.path),
        })),
      };
    });
  }

  /** What is changed since the last commit, of one file or of all that git knows. */
  async diff(folder: AgentFolder, path?: string, from?: string) {
    const clean = (name?: string) => (name ? parseGitPath(name) : undefined);
    const [file, before] = [clean(path), clean(from)];
    return await this.#in(folder, async (root) => ({
      path: path ?? null,
      ...(await readPatch(this.#host.git, folder, {
        path: file,
        from: before,
      })),
      staged: await this.#hunks.readMarks(root, file),
    }));
  }

  async commit(folder: AgentFolder, revision: string) {
    const { git } = this.#host;
    return await this.#in(folder, async (path) =>
      readCommit(git, path, await resolveRevision(git, path, revision)),
    );
  }

  async fileAt(folder: AgentFolder, revision: string, path: string) {
    const { git } = this.#host;
    // Checked before git is asked for anything.
    parseGitPath(path);
    return await this.#in(folder, async (root) =>
      readFileAt(git, root, await resolveRevision(git, root, revision), path),
    );
  }

  /** @throws REVISION_NOT_FOUND also where there is no repository */
  async bytesAt(
    folder: AgentFolder,
    revision: string,
    path: string,
  ): Promise<Buffer> {
    const { git } = this.#host;
    parseGitPath(path);
    const answer = await this.#in(folder, async (root) => {
      const hash = await resolveRevision(git, root, revision);
      return { data: await readBytesAt(git, root, hash, path, MAX_BYTES_AT) };
    });
    if (!answer.git) throw errors.REVISION_NOT_FOUND({ revision });
    return answer.data;
  }

  /** How the branch stands to the default one; `null` where there is no repository, or a fault that is told. */
  async branch(
    folder: AgentFolder,
  ): Promise<{ git: BranchState | null; gitFault: string | null }> {
    try {
      const answer = await this.#in(folder, async (path) => ({
        state: await readBranch(this.#host.git, path),
      }));
      return { git: answer.git ? answer.state : null, gitFault: null };
    } catch (error) {
      // The results of messages are returned nevertheless.
      if (!isGantryError(error)) throw error;
      return { git: null, gitFault: error.message };
    }
  }

  /** Writes a command for the repository of a folder, and runs nothing. */
  async compose(folder: AgentFolder, input: ComposeInput) {
    const { git } = this.#host;
    const root = await git.root(folder.root);
    return composeCommand(
      input,
      root === undefined
        ? undefined
        : await readComposeState(git, { root, folder: folder.root }, input),
    );
  }

  /** @throws GIT_REPOSITORY_REFUSED if there is a repository that is not read */
  async #in<Answer extends object>(
    folder: AgentFolder,
    read: (path: string) => Promise<Answer>,
  ): Promise<typeof NONE | ({ git: true } & Answer)> {
    const { git } = this.#host;
    const root = await git.root(folder.root);
    if (root !== undefined) return { git: true, ...(await read(folder.root)) };
    const reason = await git.refusal(folder.root);
    if (reason === undefined) return NONE;
    throw errors.GIT_REPOSITORY_REFUSED({ reason: toVisibleText(reason) });
  }
}
