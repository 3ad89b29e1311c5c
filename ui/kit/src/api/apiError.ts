/** One thing wrong with an input: where (dotted path, empty for the whole) and what was expected. */
export interface InputIssue {
  path: string;
  message: string;
}

/** What an error was made from. */
export interface ApiProblem {
  status: number;
  code: string;
  title: string;
  detail: string;
  errors?: readonly InputIssue[];
  requestId?: string;
  /** Seconds after which a retry makes sense. */
  retryAfter?: number;
}

/**
 * A request that did not succeed. `code` is the daemon's (`AREA_REASON`); two codes are made here: `UNREACHABLE` when no
 * answer came (status 0), `UNREADABLE` when the answer was not one of the daemon's.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** A few constant words. */
  readonly title: string;
  /** One sentence: the thing and the way out. */
  readonly detail: string;
  /** For bad input: each thing that is wrong. */
  readonly errors: readonly InputIssue[];
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(problem: ApiProblem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.name = "ApiError";
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title;
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId;
    this.retryAfter = problem.retryAfter;
  }
}

/** Makes an {@link ApiError} of anything that was thrown, so that a page can always show title, detail and code. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiError(
    {
      status: 0,
      code: "PAGE_FAILED",
      title: "This page failed",
      detail: detail || "It did not say why.",
    },
    { cause: thrown },
  );
}

/** Tells whether a request was given up by the page itself, which is no error to show. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === "AbortError";
}
