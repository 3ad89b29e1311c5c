import type { InputIssue, Schema } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import { describeIssue } from "./describe-issue.ts";
import { issuePath } from "@gantry/system/issue-path";
import type { SchemaIssue } from "@gantry/system/issue-path";

/**
 * Checks an input with a schema and gives what the schema makes of it.
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
  throw invalid(part, result.issues.flatMap(toInputIssues));
}

/**
 * Refuses the fields of a body that an operation without a body was sent.
 *
 * @throws `INPUT_INVALID` with each field
 */
export function refuseFields(body: object): void {
  const keys = Object.keys(body);
  if (keys.length > 0)
    throw invalid("body", toInputIssues({ message: "", keys }));
}

function invalid(part: "body" | "query", issues: readonly InputIssue[]) {
  const [first] = issues;
  const summary = first?.path
    ? `"${first.path}": ${first.message}`
    : (first?.message ?? "it is not valid");
  return errors.INPUT_INVALID(
    { part, summary },
    { errors: issues.slice(0, 50) },
  );
}

/** Most names of unknown fields that are sent back. */
const MOST_KEYS = 10;
const LONGEST_NAME = 64;

function toInputIssues(
  issue: SchemaIssue & { keys?: readonly string[] },
): InputIssue[] {
  const path = issuePath(issue);
  // zod names unknown fields beside the path; a client wants each one as a path.
  if (issue.keys) {
    return issue.keys.slice(0, MOST_KEYS).map((key) => ({
      path: (path && `${path}.`) + key.slice(0, LONGEST_NAME),
      message: "unknown field",
    }));
  }
  return [{ path, message: describeIssue(issue) }];
}

/** Query parameters as an object. A parameter that is sent twice is refused rather than guessed at. */
export function toQueryObject(search: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = Object.create(null) as Record<
    string,
    string
  >;
  for (const [name, value] of search) {
    if (name in query) {
      const path = name.slice(0, LONGEST_NAME);
      throw errors.INPUT_INVALID(
        { part: "query", summary: `"${path}" is given twice` },
        { errors: [{ path, message: "given twice" }] },
      );
    }
    query[name] = value;
  }
  return query;
}
