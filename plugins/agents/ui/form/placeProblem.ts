import { ApiError } from "@gantry/ui-kit";

/** The field that a refusal is about, where the daemon's code says so. */
const fields: Readonly<Record<string, string>> = {
  AGENT_FOLDER_INVALID: "cwd",
  AGENT_CLI_UNKNOWN: "cli",
  AGENT_CLI_MISSING: "cli",
  REVISION_INVALID: "worktree.branch",
  WORKTREE_IMPOSSIBLE: "worktree.branch",
};

/** Puts a refusal at its field, so that it stands where it can be put right. Anything else is given back as it is. */
export function placeProblem(thrown: unknown): unknown {
  if (!(thrown instanceof ApiError) || thrown.errors.length > 0) return thrown;
  const path = Object.hasOwn(fields, thrown.code)
    ? fields[thrown.code]
    : undefined;
  if (path === undefined) return thrown;
  return new ApiError(
    {
      status: thrown.status,
      code: thrown.code,
      title: thrown.title,
      detail: thrown.detail,
      errors: [{ path, message: thrown.detail }],
      requestId: thrown.requestId,
    },
    { cause: thrown },
  );
}
