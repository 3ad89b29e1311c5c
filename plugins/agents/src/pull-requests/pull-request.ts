import * as z from "zod";
import { CHECK_STATES, checkView, ghCheck, sumChecks } from "./checks.ts";
import type { Check } from "./checks.ts";

/** What `gh pr list --json` gives, as far as it is asked for. */
export const ghPullRequests = z.array(
  z.object({
    number: z.number(),
    title: z.string(),
    url: z.string(),
    state: z.enum(["OPEN", "CLOSED", "MERGED"]),
    isDraft: z.boolean(),
    baseRefName: z.string(),
    headRefName: z.string(),
    /** Whether its branch is in another repository than the one that it is for. */
    isCrossRepository: z.boolean().nullish(),
    /** Whose repository its branch is in; `null` if that is gone. */
    headRepositoryOwner: z.object({ login: z.string() }).nullish(),
    reviewDecision: z.string().nullable(),
    mergeable: z.string(),
    updatedAt: z.string(),
    statusCheckRollup: z.array(ghCheck).nullable(),
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
  items: z.array(checkView),
  updatedAt: z.string(),
});

export type PullRequest = z.infer<typeof pullRequestView>;
/** A pull request as `gh` reports it. */
export type GhPullRequest = z.infer<typeof ghPullRequests>[number];

const REVIEWS: Readonly<Record<string, PullRequest["review"]>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes-requested",
  REVIEW_REQUIRED: "required",
};

/**
 * Picks the pull request of a branch in a repository of an owner: a branch of that name may be in any user's repository. An open
 * one comes first, then the one that changed last.
 *
 * @param place The repository that the pull requests are for, such as `github.com/ann/it`.
 */
export function pickPullRequest(
  all: readonly GhPullRequest[],
  place: string,
  { owner, branch }: { owner: string; branch: string },
): GhPullRequest | undefined {
  const [, base = ""] = place.split("/");
  const own = all.filter((each) => {
    const login =
      each.headRepositoryOwner?.login ||
      (each.isCrossRepository ? undefined : base);
    return (
      each.headRefName === branch &&
      login?.toLowerCase() === owner.toLowerCase()
    );
  });
  const rank = ({ state }: GhPullRequest) => (state === "OPEN" ? 1 : 0);
  return own.sort(
    (one, other) =>
      rank(other) - rank(one) ||
      Date.parse(other.updatedAt) - Date.parse(one.updatedAt),
  )[0];
}

/** What GitHub says, in our words. */
export function toPullRequest(
  said: GhPullRequest,
  checks: readonly Check[],
): PullRequest {
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
    items: checks.map(({ view }) => view),
    updatedAt,
  };
}
