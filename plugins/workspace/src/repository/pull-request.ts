import * as z from "zod";

/** Result of all checks of a pull request. */
export const CHECK_STATES = ["none", "pending", "passed", "failed"] as const;

/** The fields of `gh pr list --json` that are requested. */
export const ghPullRequests = z.array(
  z.object({
    number: z.number(),
    title: z.string(),
    url: z.string(),
    state: z.enum(["OPEN", "CLOSED", "MERGED"]),
    isDraft: z.boolean(),
    baseRefName: z.string(),
    headRefName: z.string(),
    reviewDecision: z.string().nullable(),
    mergeable: z.string(),
    updatedAt: z.string(),
    statusCheckRollup: z
      .array(
        z.object({
          /** Of a run of a workflow. */
          status: z.string().nullish(),
          conclusion: z.string().nullish(),
          /** Of a commit status, which another service set. */
          state: z.string().nullish(),
        }),
      )
      .nullable(),
  }),
);

/** A pull request as clients see it. */
export const pullRequestView = z.object({
  number: z.number(),
  title: z.string(),
  url: z.string(),
  state: z.enum(["open", "draft", "closed", "merged"]),
  base: z.string(),
  head: z.string(),
  review: z.enum(["approved", "changes-requested", "required"]).nullable(),
  /** Whether it can be merged without a conflict; `null` if that is not known yet. */
  mergeable: z.boolean().nullable(),
  checks: z.enum(CHECK_STATES),
  updatedAt: z.string(),
});

export type PullRequest = z.infer<typeof pullRequestView>;
type GhPullRequest = z.infer<typeof ghPullRequests>[number];

const REVIEWS: Readonly<Record<string, PullRequest["review"]>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes-requested",
  REVIEW_REQUIRED: "required",
};
const WENT_WELL = new Set(["SUCCESS", "NEUTRAL", "SKIPPED"]);

/** What GitHub says, in our words. */
export function toPullRequest(said: GhPullRequest): PullRequest {
  const { number, title, url, baseRefName, headRefName, updatedAt } = said;
  const state = said.state.toLowerCase() as "open" | "closed" | "merged";
  return {
    number,
    title,
    url: /^https:\/\//.test(url) ? url : "",
    state: state === "open" && said.isDraft ? "draft" : state,
    base: baseRefName,
    head: headRefName,
    review: REVIEWS[said.reviewDecision ?? ""] ?? null,
    mergeable:
      said.mergeable === "UNKNOWN" ? null : said.mergeable === "MERGEABLE",
    checks: sumChecks(said.statusCheckRollup ?? []),
    updatedAt,
  };
}

function sumChecks(
  checks: NonNullable<GhPullRequest["statusCheckRollup"]>,
): PullRequest["checks"] {
  if (checks.length === 0) return "none";
  const ends = checks.map(({ conclusion, state, status }) =>
    // A run has no conclusion before its end, a status is pending until then.
    status && status !== "COMPLETED"
      ? "PENDING"
      : conclusion || state || "PENDING",
  );
  const isOpen = (end: string) => end === "PENDING" || end === "EXPECTED";
  if (ends.some((end) => !isOpen(end) && !WENT_WELL.has(end))) return "failed";
  return ends.some(isOpen) ? "pending" : "passed";
}
