import type { ServerResponse } from "node:http";
import type { GantryError, Log } from "@gantry/plugin";
import { toProblem } from "./problem.ts";
import { sendProblem } from "./reply.ts";
import type { Head } from "./request-head.ts";

/** A request at its route. */
export interface Arrival {
  head: Head;
  response: ServerResponse;
  /** The address, as h3 spells it. */
  path: string;
}

/**
 * Answers a request with what was thrown instead of an answer, and logs what the answer does not contain.
 *
 * @param plugin The plugin whose code ran, for the log.
 */
export function answerFailure(
  log: Log,
  { head, response, path }: Arrival,
  thrown: unknown,
  plugin?: string,
): void {
  const { message, requestId } = head;
  const where = { requestId, path, plugin };
  const { problem, unexpected } = toProblem(thrown, requestId);
  if (unexpected) log.error("Request failed", where, thrown);
  else logCause(log, where, thrown as GantryError);
  try {
    sendProblem(message, response, requestId, problem);
  } catch (error) {
    log.error("A problem could not be answered", where, error);
    response.destroy();
  }
}

function logCause(
  log: Log,
  where: { requestId: string; path: string },
  { code, status, cause }: GantryError,
): void {
  if (status >= 500 && cause !== undefined)
    log.warn("Request refused", { ...where, code, cause: String(cause) });
}
