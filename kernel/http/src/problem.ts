import { isGantryError } from "@gantry/plugin";
import type { GantryError } from "@gantry/plugin";
import { errors } from "./errors.ts";

/** An error as an answer: RFC 9457 with `code`, and `errors` for invalid input. */
export interface Problem {
  status: number;
  body: string;
  headers: readonly string[];
}

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/**
 * Converts a thrown value to a problem document. A value that is not from an error table becomes a 500 with only a request
 * id.
 */
export function toProblem(
  thrown: unknown,
  requestId: string,
): { problem: Problem; unexpected: boolean } {
  try {
    if (isGantryError(thrown))
      return { problem: renderProblem(thrown, requestId), unexpected: false };
  } catch {
    // It has the name of a Gantry error but not its shape, or members that are not JSON.
  }
  const problem = renderProblem(errors.KERNEL_FAULT(), requestId);
  return { problem, unexpected: true };
}

function renderProblem(error: GantryError, requestId: string): Problem {
  const {
    errors: issues,
    retryAfter,
    members,
    headers: own = {},
  } = error.extras;
  const body = JSON.stringify({
    type: `urn:gantry:problem:${error.code}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    code: error.code,
    ...(issues ? { errors: issues } : {}),
    ...(error.status === 500 && requestId ? { requestId } : {}),
    ...members,
  });
  const headers = Object.entries(own).flat();
  if (retryAfter !== undefined)
    headers.push("retry-after", String(Math.ceil(retryAfter)));
  return { status: error.status, body, headers };
}
