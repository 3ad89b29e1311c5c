import type { InputIssue } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import { issuePath } from "@gantry/system/issue-path";
import type { SchemaIssue } from "@gantry/system/issue-path";

/** What zod says of an issue beside its message; other libraries say none of it. */
interface DetailedIssue extends SchemaIssue {
  /** Names of unknown fields. */
  readonly keys?: readonly string[];
  /** What each part of a union finds, with paths from its own place. */
  readonly errors?: readonly (readonly DetailedIssue[])[];
  readonly code?: string;
  readonly origin?: string;
  readonly expected?: string;
  readonly format?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly inclusive?: boolean;
  readonly values?: readonly unknown[];
}

type Part = "body" | "query";

const MAX_ISSUES = 50;
/** Names of unknown fields that are sent back. */
const MAX_KEYS = 10;
const MAX_NAME_LENGTH = 64;

/** The error for an input that a schema refused, with each issue. */
export function schemaError(
  part: Part,
  issues: readonly DetailedIssue[],
): Error {
  const all = issues.flatMap(toInputIssues);
  const [{ path, message } = { path: "", message: "it is not valid" }] = all;
  const summary = path ? `"${path}": ${message}` : message;
  return inputError(part, summary, all);
}

/** The error for the fields of a body that is to have none. */
export function unknownFields(body: object): Error {
  return schemaError("body", [{ message: "", keys: Object.keys(body) }]);
}

/** The error for one field. `verb` joins its name and the message. */
export function fieldError(
  part: Part,
  name: string,
  message: string,
  verb?: string,
): Error {
  const path = name.slice(0, MAX_NAME_LENGTH);
  const summary = `"${path}"${verb ? ` ${verb}` : ": "}${message}`;
  return inputError(part, summary, [{ path, message }]);
}

function inputError(part: Part, summary: string, issues: InputIssue[]): Error {
  return errors.INPUT_INVALID(
    { part, summary },
    { errors: issues.slice(0, MAX_ISSUES) },
  );
}

function toInputIssues(issue: DetailedIssue): InputIssue[] {
  const [nearest] = issue.errors?.toSorted((a, b) => a.length - b.length) ?? [];
  const place = issue.path ?? [];
  if (nearest)
    return nearest.flatMap((each) =>
      toInputIssues({ ...each, path: [...place, ...(each.path ?? [])] }),
    );
  const path = issuePath(issue);
  // zod names unknown fields beside the path; a client wants each one as a path.
  if (issue.keys) {
    return issue.keys.slice(0, MAX_KEYS).map((key) => ({
      path: (path && `${path}.`) + key.slice(0, MAX_NAME_LENGTH),
      message: "unknown field",
    }));
  }
  return [{ path, message: describeIssue(issue) }];
}

/** How zod's own messages begin; one that an author wrote says it better. */
const OWN_WORDS = /^(Too (small|big)|Invalid [a-z]+|Invalid (URL|ISO \w+)$)/i;

const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a text",
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: "must be a time such as 2026-01-31T09:00:00.000Z",
  date: "must be a day such as 2026-01-31",
  url: "must be a whole address, such as https://example.org/",
};

/** Says what is wrong with a value in words for people: what it must be. */
export function describeIssue(issue: DetailedIssue): string {
  if (!OWN_WORDS.test(issue.message)) return issue.message;
  if (issue.message.endsWith("received undefined")) return "is missing";
  switch (issue.code) {
    case "too_small":
      return limitOf(issue, "least", issue.minimum);
    case "too_big":
      return limitOf(issue, "most", issue.maximum);
    case "invalid_type":
      return `must be ${TYPES[issue.expected ?? ""] ?? issue.expected}`;
    case "invalid_value": {
      const values = (issue.values ?? []).map(String).join(", ");
      return (issue.values?.length ?? 0) > 1
        ? `must be one of ${values}`
        : `must be ${values}`;
    }
    case "invalid_format":
      return FORMATS[issue.format ?? ""] ?? "does not have the right form";
    default:
      return issue.message;
  }
}

function limitOf(
  { origin, inclusive }: DetailedIssue,
  bound: "least" | "most",
  limit: number | bigint | undefined,
): string {
  if (origin === "string" || origin === "array" || origin === "set") {
    if (bound === "least" && limit === 1) return "must not be empty";
    const [one, many] =
      origin === "string" ? ["character", "characters"] : ["entry", "entries"];
    return `must have at ${bound} ${limit} ${limit === 1 ? one : many}`;
  }
  if (inclusive === false)
    return `must be ${bound === "least" ? "more" : "less"} than ${limit}`;
  return `must be at ${bound} ${limit}`;
}
