import type { SchemaIssue } from "@gantry/system/issue-path";

/** What zod tells of an issue beside its message; other libraries tell none of it. */
interface DetailedIssue extends SchemaIssue {
  readonly code?: string;
  readonly origin?: string;
  readonly expected?: string;
  readonly format?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly inclusive?: boolean;
  readonly values?: readonly unknown[];
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
