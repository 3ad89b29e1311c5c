import type { InputIssue, Schema } from "@gantry/plugin";
import { errors } from "./errors.ts";
import { describeIssue } from "./describe-issue.ts";
import { issuePath } from "@gantry/system/issue-path";
import type { SchemaIssue } from "@gantry/system/issue-path";

/**
 * Validates an input with a schema and returns its output.
 *
 * @param part Which part of the request it is, for the message.
 * @throws `INPUT_INVALID` with each issue
 */
export async function validate<Output>(
  schema: Schema<Output>,
  input: unknown,
  part: "body" | "query",
): Promise<Output> {
  let result = schema["~standard"].validate(input);
  if (result instanceof Promise) result = await result;
  if (!result.issues) return result.value;
  const issues = result.issues.flatMap(toInputIssues);
  const [first] = issues;
  const summary = first?.path
    ? `"${first.path}": ${first.message}`
    : (first?.message ?? "it is not valid");
  throw errors.INPUT_INVALID(
    { part, summary },
    { errors: issues.slice(0, 50) },
  );
}

/** Names of unknown fields that an error lists. */
const MAX_UNKNOWN_KEYS = 10;
const MAX_NAME_LENGTH = 64;

function toInputIssues(
  issue: SchemaIssue & { keys?: readonly string[] },
): InputIssue[] {
  const path = issuePath(issue);
  // zod names unknown fields beside the path; a client wants each one as a path.
  if (issue.keys) {
    return issue.keys.slice(0, MAX_UNKNOWN_KEYS).map((key) => ({
      path: (path && `${path}.`) + key.slice(0, MAX_NAME_LENGTH),
      message: "unknown field",
    }));
  }
  return [{ path, message: describeIssue(issue) }];
}

/** Query parameters as an object. A parameter that is sent twice is refused with `INPUT_INVALID`. */
export function toQueryObject(search: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = Object.create(null) as Record<
    string,
    string
  >;
  for (const [name, value] of search) {
    if (name in query) {
      const path = name.slice(0, MAX_NAME_LENGTH);
      throw errors.INPUT_INVALID(
        { part: "query", summary: `"${path}" is given twice` },
        { errors: [{ path, message: "given twice" }] },
      );
    }
    query[name] = value;
  }
  return query;
}
