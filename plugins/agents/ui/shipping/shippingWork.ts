import type { PullRequestState } from "../repository/wire.ts";
import type { PullRequest, ShippingState } from "./wire.ts";

/** What is known of what is left to do. */
export interface ShippingWork {
  state: ShippingState;
  pr: PullRequest | undefined;
  prStatus: PullRequestState["status"] | undefined;
}

/** Whether there is something to commit, to push or to open. */
export function hasWork({ state, pr, prStatus }: ShippingWork): boolean {
  const { push } = state;
  const changed =
    state.staged +
    state.unstaged +
    state.conflicts +
    state.stagedOutside.length;
  if (changed > 0 || state.underway !== null) return true;
  if (!push) return false;
  const isPushed = push.commits === 0 && !push.behind;
  if (!isPushed) return true;
  if (pr) return pr.state !== "merged" && pr.checks === "failed";
  return prStatus === "none" && !push.isDefault && !push.isNew;
}

/** What is left to do, in a few words. */
export function sumWork({ state, pr }: ShippingWork): string {
  const { push, staged, unstaged, conflicts } = state;
  const parts = [
    conflicts > 0 && `${conflicts} in conflict`,
    staged > 0 && `${staged} staged`,
    unstaged > 0 && `${unstaged} not staged`,
    push?.commits ? `${push.commits} to push` : false,
    push?.behind ? `${push.behind} behind` : false,
    pr && `PR #${pr.number}${pr.state === "merged" ? " merged" : ""}`,
    pr?.state !== "merged" && pr?.checks === "failed" && "checks failed",
  ].filter((part) => typeof part === "string");
  return parts.length > 0 ? parts.join(" · ") : "nothing to commit or push";
}
