import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { plainGit } from "../../help/plain-git.ts";
import type { RepositoryView } from "../../help/repository-view.ts";
import { partOf } from "./part-of.ts";

/** The bytes, kinds and permissions of all files in a folder but those of git, and the index. */
export async function readState(cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    "sh",
    [
      "-c",
      String.raw`find . -path ./.git -prune -o \( -type f -o -type l \) -printf '%y %m %p %l\n' | sort; find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha1sum --`,
    ],
    { cwd, encoding: "latin1", env: { ...process.env, LC_ALL: "C" } },
  );
  return `${stdout}\n${await plainGit(cwd, "ls-files", "--stage")}`;
}

/** What an answer says of a discard. */
export interface DiscardAnswer {
  undoId: string | null;
  code?: string;
  detail?: string;
}

/** Discards in an agent's folder, by its operations. */
export class Discarding {
  readonly #view: RepositoryView;

  constructor(view: RepositoryView) {
    this.#view = view;
  }

  files(...paths: string[]) {
    return this.#view.post<DiscardAnswer>("git/discard", { paths });
  }

  /** @param index Of a hunk in the patch as it is now. */
  async hunk(path: string, index: number) {
    const { patch } = await this.patch(path);
    return await this.shown(path, patch, index);
  }

  /** @param patch As it was shown. */
  async shown(path: string, patch: string, index: number) {
    return await this.#view.post<DiscardAnswer>("git/discard", {
      hunk: { path, ...partOf(patch, index) },
    });
  }

  async patch(path: string): Promise<{ patch: string }> {
    const { body } = await this.#view.get<{ patch: string }>("gitdiff", {
      path,
    });
    return body;
  }

  /** Lets git run the programs of the repository. */
  async trust(): Promise<void> {
    const { body } = await this.#view.get<{ programs: { mark: string } }>(
      "git/shipping",
    );
    const { mark } = body.programs;
    await this.#view.post("git/programs", { mark, trusted: true });
  }

  async list(): Promise<
    { undoId: string; paths: string[]; isHunk: boolean }[]
  > {
    const { body } = await this.#view.get<{
      items: { undoId: string; paths: string[]; isHunk: boolean }[];
    }>("git/discards");
    return body.items;
  }

  undo(undoId: string | null, more: { overwrite?: boolean } = {}) {
    return this.#view.post<DiscardAnswer>(
      `turn-changes/${undoId}/restore`,
      more,
    );
  }
}
