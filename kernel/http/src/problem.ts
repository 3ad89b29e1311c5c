import { isGantryError } from "@gantry/plugin";
import type { GantryError } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";

/** An answer that tells what went wrong: RFC 9457 with `code`, and `errors` for bad input. */
export interface Problem {
  status: number;
  body: string;
  headers: readonly string[];
}

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/**
 * Turns anything that was thrown into a problem document. What is not from an error table becomes a 500 that says
 * nothing but a request id.
 */
export function toProblem(
  thrown: unknown,
  requestId: string,
): { problem: Problem; unexpected: boolean } {
  try {
    if (isGantryError(thrown))
      return { problem: renderProblem(thrown, requestId), unexpected: false };
  } catch {
    // It has the name of one of ours and not the shape, or members that are no JSON.
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
