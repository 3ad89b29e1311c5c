import { HTTPError } from "h3";
import type { H3Event } from "h3";
import { isGantryError } from "@gantry/plugin";
import type { GantryError, Log } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import { malformed } from "./gate.ts";
import { nodeSides, requestOf } from "./http-request.ts";
import type { HttpRequest } from "./http-request.ts";
import { endWithAnswer, renderLastAnswer, sendProblem } from "./reply.ts";
import type { Problem } from "./reply.ts";

/** Dependencies of {@link answerProblem}. */
export interface ProblemHost {
  log: Log;
  /** Called with each request that is refused, and the code of the error. */
  onRefusal(request: HttpRequest, code: string): void;
}

/**
 * Answers a request with what went wrong. A fault is logged, and its answer says nothing but the request's id.
 *
 * @param nextRequestId Makes the id of a request that h3 refused before the gate.
 */
export function answerProblem(
  { log, onRefusal }: ProblemHost,
  event: H3Event,
  error: HTTPError,
  nextRequestId: () => string,
): void {
  const { req: message, res: response, upgrade } = nodeSides(event);
  // h3 wraps what is not its own.
  const thrown = error.cause instanceof Error ? error.cause : error;
  // The client is gone, and the operation ended for that.
  if (response?.closed && thrown.name === "AbortError") return;
  const request = requestOf(event) as HttpRequest | undefined;
  if (request && isGantryError(thrown)) onRefusal(request, thrown.code);
  const requestId = request?.requestId ?? nextRequestId();
  const where = {
    requestId,
    path: event.url.pathname,
    plugin: request?.owner?.plugin,
  };
  const { problem, unexpected } = toProblem(
    // Before the gate h3 itself refuses an address that cannot be decoded.
    !request && HTTPError.isError(thrown) ? malformed() : thrown,
    requestId,
  );
  if (unexpected) log.error("Request failed", where, thrown);
  else {
    const { code, status, cause } = thrown as GantryError;
    // The answer does not contain the cause.
    if (status >= 500 && cause !== undefined)
      log.warn("Request refused", { ...where, code, cause: String(cause) });
  }
  // Node has no response for an upgrade: this is the socket itself.
  if (upgrade)
    return endWithAnswer(upgrade.socket, renderLastAnswer(problem, requestId));
  try {
    sendProblem(message, response, requestId, problem);
  } catch (fault) {
    log.error("A problem could not be answered", where, fault);
    response.destroy();
  }
}

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
