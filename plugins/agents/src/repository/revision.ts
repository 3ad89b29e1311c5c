import type { Git } from "@gantry/git-kit";
import { errors } from "../errors.ts";
import { showPath } from "../folder/folder-path.ts";
import { isWellFormed } from "../folder/well-formed.ts";

const MAX_NAME_LENGTH = 255;
const HASH = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** What git forbids in names of branches and tags (`git check-ref-format`). */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const FORBIDDEN = /[\u0000- \u007f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|^@$/;

/** Whether a text may be the name of a branch, a tag or a remote, and is no option. */
export function isRefName(name: string): boolean {
  return (
    name !== "" &&
    name.length <= MAX_NAME_LENGTH &&
    isWellFormed(name) &&
    !name.startsWith("-") &&
    !FORBIDDEN.test(name) &&
    name
      .split("/")
      .every((part) => !part.startsWith(".") && !part.endsWith(".lock"))
  );
}

/**
 * The full hash of the commit that a client named.
 *
 * @throws REVISION_INVALID for what is neither a hash nor a name, REVISION_NOT_FOUND if there is no such commit
 */
export async function resolveRevision(
  git: Git,
  folder: string,
  revision: string,
): Promise<string> {
  if (!HASH.test(revision) && !isRefName(revision))
    throw errors.REVISION_INVALID({ revision: showPath(revision) });
  const hash = await git.resolve(folder, revision);
  if (hash === undefined) throw errors.REVISION_NOT_FOUND({ revision });
  return hash;
}
