import { ApiError } from "@gantry/ui-kit";

/** Fields of the form by the error that the agents answer about them. */
const fields: Readonly<Record<string, string>> = {
  AGENT_FOLDER_INVALID: "workspace",
  AGENT_CLI_UNKNOWN: "cli",
};

/** Puts what the agents refuse at the field that it is about. */
export function placeProblem(thrown: unknown): unknown {
  if (!(thrown instanceof ApiError)) return thrown;
  const path = fields[thrown.code];
  if (path === undefined) return thrown;
  const { status, code, title, detail, requestId } = thrown;
  const errors = [{ path, message: detail }];
  return new ApiError({ status, code, title, detail, errors, requestId });
}
