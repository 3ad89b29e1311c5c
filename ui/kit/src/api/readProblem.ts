import type { ApiProblem, InputIssue } from "./apiError.ts";

/** Reads a problem document (RFC 9457) out of a refused answer; what is missing is filled with plain words. */
export function readProblem(
  status: number,
  body: unknown,
  headers: Headers,
): ApiProblem {
  const members = isRecord(body) ? body : {};
  const requestId =
    text(members["requestId"]) ?? headers.get("x-request-id") ?? undefined;
  const retryAfter = Number(headers.get("retry-after") ?? Number.NaN);
  const known = text(members["code"]) !== undefined;
  return {
    status,
    code: text(members["code"]) ?? "UNREADABLE",
    title: text(members["title"]) ?? `Answer ${status}`,
    detail:
      text(members["detail"]) ??
      (known
        ? "The daemon gave no reason."
        : `Something other than the daemon answered with status ${status}.`),
    errors: Array.isArray(members["errors"])
      ? members["errors"].filter(isIssue)
      : [],
    requestId,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isIssue(value: unknown): value is InputIssue {
  return (
    isRecord(value) &&
    typeof value["path"] === "string" &&
    typeof value["message"] === "string"
  );
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
