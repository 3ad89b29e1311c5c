import { isGantryError } from "@gantry/plugin";
import type { GantryError } from "@gantry/plugin";
import { issuePath } from "../issue-path.ts";
import { errorCodesOf } from "./error-codes.ts";
import { findInside } from "./find-inside.ts";
import type { HttpRequest } from "./http-request.ts";
import type { RouteRecord } from "./route-table.ts";

/** Members of an answer that contain the reason for a state. */
const REASONS = new Set(["reason", "problem", "error"]);

/** Checks the answers of operations against the reference. Enabled in tests; a daemon skips them, to save time. */
export interface AnswerChecks {
  /** Reports an answer that is wrong. */
  fault(text: string): void;
  home: string;
}

/** Runs an operation and checks an error that it throws: its code must be declared, and its texts reveal no internals. */
export async function checkProblems(
  checks: AnswerChecks,
  record: RouteRecord,
  request: HttpRequest,
  operation: () => Promise<void>,
): Promise<void> {
  try {
    await operation();
  } catch (thrown) {
    if (isGantryError(thrown)) checkProblem(checks, record, request, thrown);
    throw thrown;
  }
}

function checkProblem(
  { fault, home }: AnswerChecks,
  record: RouteRecord,
  { search, body }: HttpRequest,
  { code, message, extras }: GantryError,
): void {
  const name = nameOf(record);
  if (!errorCodesOf(record).includes(code))
    fault(`${name} answered ${code}, which it does not declare`);
  // What a client sent may be repeated to it.
  const sent = [...textsIn([[...search.values()], body])].join("\n");
  for (const text of [message, ...textsIn([extras.errors, extras.members])]) {
    const inside = findInside(text, home, sent);
    if (inside) fault(`${name} answered ${code} with ${inside}: ${text}`);
  }
}

/**
 * Checks an answer: against the schema of its operation, and whether a reason in it reveals internals.
 *
 * @throws Error if it does not fit the schema
 */
export async function checkAnswer(
  { fault, home }: AnswerChecks,
  record: RouteRecord,
  answer: unknown,
): Promise<void> {
  const { returns } = record.definition;
  if (typeof returns === "string") return;
  const result = await returns["~standard"].validate(answer);
  if (result.issues) {
    const issues = result.issues.map(
      (issue) => `${issuePath(issue)}: ${issue.message}`,
    );
    throw new Error(
      `${nameOf(record)} answered what its schema does not say: ${issues.join("; ")}`,
    );
  }
  for (const text of textsIn(answer, (key) => REASONS.has(key))) {
    const inside = findInside(text, home);
    if (inside)
      fault(`${nameOf(record)} gave a reason with ${inside}: ${text}`);
  }
}

const nameOf = ({ definition: { method, path } }: RouteRecord) =>
  `${method} ${path}`;

/** All texts in a value, or those of the members that are wanted and of what is in them. */
function* textsIn(
  value: unknown,
  isWanted: (key: string) => boolean = () => true,
): Generator<string> {
  if (typeof value === "string") return yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (isWanted(key)) yield* textsIn(part);
    else if (typeof part === "object") yield* textsIn(part, isWanted);
  }
}
