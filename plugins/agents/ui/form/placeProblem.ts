import { ApiError } from "@gantry/ui-kit";

/** Field names by error code. */
const fields: Readonly<Record<string, string>> = {
  AGENT_FOLDER_INVALID: "cwd",
  AGENT_CLI_UNKNOWN: "cli",
  AGENT_CLI_MISSING: "cli",
};

/** Attaches an API error to the field that it concerns. Other errors are returned unchanged. */
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
